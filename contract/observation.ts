/**
 * What scenarios saw, before anybody judged it: plain data, a closed set of kinds. Judges read it
 * in k6 and, from the records, again in Node; the observations of several shards are merged first.
 */

import type { IsolationTrial } from "./judges/rate/isolation.ts";
import type { RejectedStage } from "./judges/rate/rejected-not-run.ts";
import type { KeyTrial } from "./judges/rate/trial.ts";
import type { TimeoutTrial } from "./judges/timeout/trial.ts";
import type { UnaskedJob, WebhookCase, WebhookRun } from "./judges/webhook/case.ts";

/** Raised when the value of a kind changes: a reader refuses what it does not know. */
export const OBSERVATION_VERSION = 2;

export interface ObservationValues {
  /** Nothing was looked at, and why: each promise asked for stays unobserved. */
  nothing: { reason: string };
  /** The scenario itself failed: what has no finding by then is inconclusive. */
  failure: { reason: string };
  "rate.key": KeyTrial;
  "rate.isolation": IsolationTrial;
  "rate.rejected": RejectedStage;
  "webhook.case": WebhookCase;
  "webhook.unasked": UnaskedJob;
  "webhook.around": Pick<WebhookRun, "lagMs" | "pushedOut">;
  "timeout.trial": TimeoutTrial;
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
