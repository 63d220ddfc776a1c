/** All webhook judges in the order of the catalogue, and the figures beside their verdicts. */

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
import { onWholeRecords } from "./pushed-out.ts";
import { judgeRetried } from "./retried.ts";
import { judgeSigned } from "./signed.ts";
import { onVouchedJobs } from "./vouched.ts";
import { judgeWait } from "./waits.ts";

type Judge = (run: WebhookRun) => Finding;

/** Only of what a delivery says each proves something by itself, whatever else is missing. */
const JUDGES: readonly Judge[] = [
  onVouchedJobs(onWholeRecords(judgeDelivered)),
  onVouchedJobs(judgeNotBeforeTerminal),
  onVouchedJobs(judgeBody),
  onVouchedJobs(judgeTruthful),
  judgeSigned,
  ...[
    onCalmMachines(judgeOnce),
    judgeRetried,
    onCalmMachines((run) => judgeWait(run, 0)),
    onCalmMachines((run) => judgeWait(run, 1)),
    onCalmMachines((run) => judgeWait(run, 2)),
    judgeGivesUp,
    onCalmMachines(judgeAnswerTime),
    onCalmMachines(judgeRecovers),
    judgeOnlyAsked,
  ].map((judge) => onVouchedJobs(onWholeRecords(judge))),
  onVouchedJobs(judgeResult),
];

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
