/** Judges the group `webhook` by the cases that were watched, and by what lay around them. */

import type { ReceiverAccess } from "../jobs/delivery.ts";
import { judgeCancelsSeen } from "../judges/cancel/cancels-seen.ts";
import { judgeStatus } from "../judges/expected-status.ts";
import { readHistories } from "../judges/job/reading.ts";
import { findingsInPassing, jobsInPassing, passingOf } from "../judges/passing.ts";
import type { RefusedWithWebhook } from "../judges/rejected-runs-nothing.ts";
import { judgeRefusedAndTold } from "../judges/rejected-runs-nothing.ts";
import { limitsInPassing } from "../judges/timeout/in-passing.ts";
import type { WebhookRun } from "../judges/webhook/case.ts";
import { historyOf } from "../judges/webhook/case.ts";
import { judgeWebhooks } from "../judges/webhook/index.ts";
import { webhookSeries } from "../judges/webhook/series.ts";
import { rounded } from "../numbers/figures.ts";
import { isBesideUs } from "../requests/loopback.ts";
import type { Observation } from "../run/observation.ts";
import { valuesOf } from "../run/observation.ts";
import type { RunPlan } from "../run/run-plan.ts";
import type { Finding } from "../verdict.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

const WITH_A_WEBHOOK = "with a webhook";

export const judgeWebhook: ScenarioJudge = (observations, plan) => {
  if (plan.receiver === null) return NO_JUDGEMENT;
  const run = runOf(observations, plan, plan.receiver);
  const histories = run.cases.map(historyOf);
  const [around] = valuesOf(observations, "webhook.around");
  const poor = valuesOf(observations, "webhook.poor");
  const limits = new Map(Object.entries(around?.limits ?? {}));
  return {
    findings: [
      ...judgeWebhooks(run),
      ...jobsInPassing(histories, WITH_A_WEBHOOK, judgeCancelsSeen(readHistories(histories), [])),
      ...limitsInPassing(histories, limits, plan.times, WITH_A_WEBHOOK),
      ...judgeRefusedAndTold(poor, run.signatureScheme),
      ...judgePoor(poor),
    ],
    measurements: [
      { group: "webhook", value: { lagMs: rounded(run.lagMs, 1), jobs: run.cases.length } },
    ],
    series: [{ group: "webhook", value: webhookSeries(run) }],
    notes: [],
  };
};

/** The key may have asked for no job before: a service may let the first one pass. */
function judgePoor(poor: readonly RefusedWithWebhook[]): readonly Finding[] {
  const cases = poor.map(({ attempts }) => ({ what: "a job without credits", attempts }));
  const finding = judgeStatus("submit.insufficient-credits", cases, "none was sent");
  return findingsInPassing(passingOf([finding]), WITH_A_WEBHOOK);
}

function runOf(
  observations: readonly Observation[],
  plan: RunPlan,
  access: ReceiverAccess,
): WebhookRun {
  const [around] = valuesOf(observations, "webhook.around");
  return {
    cases: valuesOf(observations, "webhook.case"),
    unasked: valuesOf(observations, "webhook.unasked"),
    lagMs: around?.lagMs ?? 0,
    pushedOut: around?.pushedOut ?? { deliveries: 0, tokens: 0 },
    times: plan.times,
    signatureScheme: access.signature.scheme,
    keys: plan.keys,
    receiverReach: plan.receiverReach,
    isProxied: access.publicUrl.startsWith("https:"),
    isLocal: isBesideUs(plan.baseUrl, access),
  };
}
