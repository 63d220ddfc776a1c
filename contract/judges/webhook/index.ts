/** All webhook judges in the order of the catalogue, and the figures beside their verdicts. */

import type { Claim, Explanation } from "../../judging/claim.ts";
import { decide } from "../../judging/claim.ts";
import type { Finding, Json } from "../../verdict.ts";
import { inconclusive } from "../../verdict.ts";
import { judgeAnswerTime } from "./answer-time.ts";
import { judgeNotBeforeTerminal } from "./before-terminal.ts";
import type { WebhookRun } from "./case.ts";
import { isTooBusy } from "./case.ts";
import { judgeBody, judgeResult, judgeTruthful } from "./content.ts";
import { judgeDelivered, judgeOnlyAsked } from "./deliveries.ts";
import { judgeGivesUp } from "./gives-up.ts";
import { judgeOnce, judgeRecovers } from "./once.ts";
import { evictionsIn, onWholeRecords } from "./pushed-out.ts";
import { judgeRetried } from "./retried.ts";
import { judgeSigned } from "./signed.ts";
import { onVouchedJobs, vouchedRun } from "./vouched.ts";
import { waitClaim } from "./wait.ts";

type Judge = (run: WebhookRun) => Finding;

/** Only of what a delivery says each proves something by itself, whatever else is missing. */
const JUDGES: readonly Judge[] = [
  onVouchedJobs(onWholeRecords(judgeDelivered)),
  onVouchedJobs(judgeNotBeforeTerminal),
  onVouchedJobs(judgeBody),
  onVouchedJobs(judgeTruthful),
  judgeSigned,
  ...[onCalmMachines(judgeOnce), judgeRetried].map(onWhole),
  ...([0, 1, 2] as const).map((index) => timed((run) => waitClaim(run, index))),
  ...[
    judgeGivesUp,
    onCalmMachines(judgeAnswerTime),
    onCalmMachines(judgeRecovers),
    judgeOnlyAsked,
  ].map(onWhole),
  onVouchedJobs(judgeResult),
];

function onWhole(judge: Judge): Judge {
  return onVouchedJobs(onWholeRecords(judge));
}

/** A claim on what the service itself sent; times are the machine's where that is too busy. */
function timed(claimOf: (run: WebhookRun) => Claim): Judge {
  return (all) => {
    const { run, leftOut } = vouchedRun(all);
    const hidden = evictionsIn(run);
    return decide({
      ...claimOf(run),
      explanations: [...hidden, ...busyMachine(run)],
      hidden,
      leftOut,
    });
  };
}

function busyMachine(run: WebhookRun): readonly Explanation[] {
  const why = "this machine is too busy to tell times";
  return isTooBusy(run) ? [{ cause: "host lag", atMost: Number.POSITIVE_INFINITY, why }] : [];
}

/** Withdraws what rests on times that a busy machine bends. */
function onCalmMachines(judge: Judge): Judge {
  return (run) => {
    const found = judge(run);
    if (found.verdict !== "broken" || !isTooBusy(run)) return found;
    const reason = `this machine is too busy to tell times: ${found.summary}`;
    return inconclusive(found.promise, reason, { evidence: found.evidence });
  };
}

export function judgeWebhooks(run: WebhookRun): readonly Finding[] {
  return JUDGES.map((judge) => judge(run));
}

/** What was looked at, and how. */
export function measureWebhooks(run: WebhookRun): Json {
  return {
    lagMs: Math.round(run.lagMs * 10) / 10,
    jobs: run.cases.length,
  };
}
