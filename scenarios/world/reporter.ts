/** Writes evidence of one scenario, a record at a time, to whoever reads this run. */

import type { Amounts } from "../../contract/balance/read.ts";
import type { DetailTold } from "../../contract/decode/detail-told.ts";
import type { JobCharges } from "../../contract/jobs/earlier-jobs.ts";
import { judgementOf } from "../../contract/judging/records.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { SilencesSeen } from "../../contract/requests/silence.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import type { ObservationKind, ObservationValues } from "../../contract/run/observation.ts";
import { OBSERVATION_VERSION } from "../../contract/run/observation.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";
import type { World } from "./world.ts";

/** Every method is one record, but for `judge`. */
export interface Reporter {
  /** What will be judged, before any load: what stays at that counts as not judged. */
  registered(promises: readonly PromiseId[]): void;
  /** Something that was seen; judges read it at the end of the run. */
  observed<Kind extends ObservationKind>(kind: Kind, value: ObservationValues[Kind]): void;
  measurement(group: string, value: Json): void;
  note(text: string): void;
  progress(text: string): void;
  spent(jobs: number, credits: number, usd: number): void;
  variant(variant: "A" | "B"): void;
  /** What the account of a key showed before the first job. */
  account(key: string, amounts: Amounts): void;
  detail(told: DetailTold): void;
  charges(charges: JobCharges): void;
  /** With what its jobs have cost until then, for who comes after it. */
  settled(charges: JobCharges): void;
  silences(seen: SilencesSeen): void;
  /** Nobody was answered since then, for so long that the scenario ends. */
  unavailable(sinceMs: number): void;
  ended(): void;
  /** Writes what follows from all that was observed, unless its reader finds that out alone. */
  judge(plan: RunPlan): void;
}

export function reporterOf(
  world: Pick<World, "emit" | "now" | "shard">,
  scenario: string,
): Reporter {
  const telling: EvidenceRecord[] = [];
  const { index, count } = world.shard;
  const ofShard = count === 1 ? {} : { shard: { index, count } };
  const whose = count === 1 ? "" : `shard ${index + 1} of ${count}: `;
  const emit = (record: EvidenceRecord) => world.emit(record);
  /** Kept for the judging. */
  const keep = (record: EvidenceRecord) => {
    telling.push(record);
    emit(record);
  };
  return {
    registered: (promises) =>
      keep({ type: "registered", scenario, promises, atMs: world.now(), ...ofShard }),
    observed: (kind, value) =>
      keep({
        type: "observation",
        version: OBSERVATION_VERSION,
        scenario,
        ...ofShard,
        kind,
        value,
      } as EvidenceRecord),
    measurement: (group, value) => emit({ type: "measurement", scenario, group, value }),
    note: (text) => emit({ type: "note", scenario, text }),
    progress: (text) => emit({ type: "progress", scenario, text: whose + text }),
    spent: (jobs, credits, usd) => emit({ type: "spent", scenario, jobs, credits, usd }),
    variant: (variant) => emit({ type: "variant", scenario, variant }),
    account: (key, amounts) => emit({ type: "account", scenario, key, amounts }),
    detail: (told) => emit({ type: "detail", scenario, told }),
    charges: (charges) => emit({ type: "charges", scenario, ...charges, ...ofShard }),
    settled(charges) {
      emit({ type: "charges", scenario, ...charges, ...ofShard });
      emit({ type: "settled", scenario });
    },
    silences: (seen) => emit({ type: "silences", scenario, ...seen }),
    unavailable: (sinceMs) => emit({ type: "unavailable", scenario, sinceMs }),
    ended: () => emit({ type: "ended", scenario, atMs: world.now(), ...ofShard }),
    judge(plan) {
      if (plan.isJudgedByReader) return;
      for (const record of judgementOf(telling, plan)) emit(record);
    },
  };
}
