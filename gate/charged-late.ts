/**
 * timeout.free over two runs of a gate: what the timeouts' run saw of them, and the load's run of
 * their account before it began.
 */

import type { QuietReadings } from "../contract/judges/load/accounting/readings.ts";
import { judgeChargedLate } from "../contract/judges/timeout/charged-late.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { ObservationKind } from "../contract/run/observation.ts";
import { valuesOf } from "../contract/run/observation.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";

type Run = Pick<ScenarioEvidence, "records" | "again">;

/** Broken or nothing. */
export function chargedLate(runs: readonly Run[], keys: readonly PlanKey[]): readonly Finding[] {
  const [trial, ...others] = seenIn(runs, "timeout.trial");
  const [accounts] = seenIn(runs, "soak.accounts");
  if (trial === undefined || others.length > 0) return [];
  const name = trial.beyond[0]?.history.submission.key;
  const account = keys.find((key) => key.name === name)?.account ?? null;
  const readings = account === null ? undefined : accounts?.[account];
  if (account === null || readings === undefined) return [];
  return isAlone(readings, account) ? judgeChargedLate(trial, readings.before) : [];
}

/** Of first runs: a second one comes after the load. */
function seenIn<Kind extends ObservationKind>(runs: readonly Run[], kind: Kind) {
  const records = runs.flatMap((run): readonly EvidenceRecord[] =>
    run.again === null ? run.records : [],
  );
  const observations = records.filter((record) => record.type === "observation");
  return valuesOf(observations, kind);
}

/** Whether one run submitted on the account before the load; others came before that one. */
function isAlone({ earlier = [] }: QuietReadings, account: string): boolean {
  const later = earlier.filter(({ key }) => key !== "");
  return later.length === 1 && later[0]?.account === account;
}
