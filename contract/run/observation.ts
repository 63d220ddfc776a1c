/**
 * What scenarios saw, before anybody judged it: plain data, a closed set of kinds. Judges read it
 * in k6 and, from the records, again in Node; the observations of several shards are merged first.
 */

import type { RefusedKey } from "../judges/account.ts";
import type { ControlTrial } from "../judges/control-parameters.ts";
import type { Asked, StatusCase } from "../judges/expected-status.ts";
import type { FileAfter, Unfiled } from "../judges/job/files-after.ts";
import type { ListOwnInput } from "../judges/job/lists/list-own.ts";
import type { ListedSeen } from "../judges/job/lists/list-own-meanwhile.ts";
import type { AccountsSeen } from "../judges/load/accounting/readings.ts";
import type { LoadSeen } from "../judges/load/tally.ts";
import type { PlanRefusals } from "../judges/load/within-plan.ts";
import type { IsolationTrial } from "../judges/rate/per-key.ts";
import type { RejectedStage } from "../judges/rate/rejected-not-run.ts";
import type { KeyTrial, Watch } from "../judges/rate/trial.ts";
import type { RefusedWithWebhook } from "../judges/rejected-runs-nothing.ts";
import type {
  AnswersAfter,
  AsynchronousSeen,
  AuthSeen,
  CancelSeen,
  JobSeen,
  ListAfter,
  ListLimitSeen,
  OverloadSeen,
  PublishSeen,
  RefusalsSeen,
  WorkersSeen,
} from "../judges/steps.ts";
import type { TimeoutTrial } from "../judges/timeout/trial.ts";
import type { UnaskedJob, WebhookCase, WebhookRun } from "../judges/webhook/case.ts";
import type { PromiseId } from "../promises.ts";

/** Raised when the value of a kind changes: a reader refuses what it does not know. */
export const OBSERVATION_VERSION = 10;

/** Why there may be no other observation, and for which promises; left out: for all asked for. */
interface Without {
  reason: string;
  promises?: readonly PromiseId[];
}

export interface ObservationValues {
  /** Nothing was looked at: the promises stay unobserved. */
  nothing: Without;
  /** The scenario, or what observes for those promises, failed: they are inconclusive. */
  failure: Without;
  "contract.account": readonly StatusCase[];
  "contract.workers": WorkersSeen;
  "contract.publish": PublishSeen;
  "contract.refusals": RefusalsSeen;
  "contract.auth": AuthSeen;
  "contract.control-parameters": readonly ControlTrial[];
  "contract.asynchronous": AsynchronousSeen;
  "contract.unknown-jobs": readonly StatusCase[];
  "contract.list-own": ListOwnInput;
  "contract.list-limit": ListLimitSeen;
  "contract.listed": ListedSeen;
  "contract.cancel": CancelSeen;
  "contract.job": JobSeen;
  "contract.paced": PlanRefusals;
  /** What tells of endpoints that were each read several times in a row. */
  "contract.reads": readonly Asked[];
  /** Left out in older evidence. */
  "contract.refused-keys": readonly RefusedKey[];
  "rate.key": KeyTrial;
  "rate.watch": Watch;
  "rate.isolation": IsolationTrial;
  "rate.rejected": RejectedStage;
  "webhook.case": WebhookCase;
  "webhook.unasked": UnaskedJob;
  "webhook.poor": RefusedWithWebhook;
  "webhook.around": Pick<WebhookRun, "lagMs" | "pushedOut"> & {
    /** Run limits in seconds by worker, of those that tell one. Left out in older evidence. */
    limits?: Readonly<Record<string, number>>;
  };
  "timeout.trial": TimeoutTrial;
  "soak.load": LoadSeen;
  "soak.job-lists": readonly ListAfter[];
  "soak.files": readonly FileAfter[];
  "soak.unfiled": readonly Unfiled[];
  "soak.account-reads": readonly StatusCase[];
  "soak.answers": AnswersAfter;
  "soak.accounts": AccountsSeen;
  "soak.press": OverloadSeen;
  "soak.traces": RefusalsSeen["traces"];
}

export type ObservationKind = keyof ObservationValues;

export type Observation = {
  [Kind in ObservationKind]: { kind: Kind; value: ObservationValues[Kind] };
}[ObservationKind];

/** The values of one kind, in the order in which they were observed. */
export function valuesOf<Kind extends ObservationKind>(
  observations: readonly Observation[],
  kind: Kind,
): readonly ObservationValues[Kind][] {
  return observations.flatMap((each) =>
    each.kind === kind ? [each.value as ObservationValues[Kind]] : [],
  );
}
