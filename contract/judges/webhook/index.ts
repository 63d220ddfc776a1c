/** All webhook judges in the order of the catalogue, and the figures beside their verdicts. */

import type { Finding, Json } from "../../verdict.ts";
import { judgeAnswerTime } from "./answer-time.ts";
import { judgeNotBeforeTerminal } from "./before-terminal.ts";
import type { WebhookRun } from "./case.ts";
import { casesOf, timesOf } from "./case.ts";
import { judgeBody, judgeSigned, judgeTruthful } from "./content.ts";
import { judgeDelivered, judgeOnce, judgeOnlyAsked } from "./deliveries.ts";
import { judgeRetried } from "./retried.ts";
import { judgeGivesUp, judgeRecovers, judgeWait } from "./waits.ts";

const JUDGES: readonly ((run: WebhookRun) => Finding)[] = [
  judgeDelivered,
  judgeNotBeforeTerminal,
  judgeBody,
  judgeTruthful,
  judgeSigned,
  judgeOnce,
  judgeRetried,
  (run) => judgeWait(run, 0),
  (run) => judgeWait(run, 1),
  (run) => judgeWait(run, 2),
  judgeGivesUp,
  judgeAnswerTime,
  judgeRecovers,
  judgeOnlyAsked,
];

export function judgeWebhooks(run: WebhookRun): readonly Finding[] {
  return JUDGES.map((judge) => judge(run));
}

/** Arrivals of every series, in ms after its first one. */
export function measureWebhooks(run: WebhookRun): Json {
  return {
    timeScale: run.timeScale,
    lagMs: Math.round(run.lagMs * 10) / 10,
    jobs: run.cases.length,
    series: casesOf(run, "ladder", "recovery", "silent", "too-late").map((each) => ({
      kind: each.kind,
      arrivedMs: timesOf(each),
    })),
  };
}
