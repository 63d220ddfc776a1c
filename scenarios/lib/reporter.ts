/** Writes evidence of one scenario, a record at a time, to whoever reads this run. */

import type { EvidenceRecord } from "../../contract/evidence.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { SeriesEntry } from "../../contract/series.ts";
import type { Finding, Json } from "../../contract/verdict.ts";
import type { World } from "../world/world.ts";

/** Every method is one record. */
export interface Reporter {
  /** What will be judged, before any load: what stays at that counts as not judged. */
  registered(promises: readonly PromiseId[]): void;
  finding(finding: Finding): void;
  measurement(group: string, value: Json): void;
  series(entry: SeriesEntry): void;
  note(text: string): void;
  progress(text: string): void;
  spent(jobs: number, credits: number, usd: number): void;
  variant(variant: "A" | "B"): void;
  settled(): void;
  ended(): void;
  /** True once a finding on that promise was written. */
  found(promise: PromiseId): boolean;
}

/** Findings on other promises than those `asked` for are dropped. */
export function reporterOf(
  world: Pick<World, "emit" | "now">,
  scenario: string,
  asked: readonly PromiseId[],
): Reporter {
  const found = new Set<PromiseId>();
  const emit = (record: EvidenceRecord) => world.emit(record);
  return {
    found: (promise) => found.has(promise),
    registered: (promises) => emit({ type: "registered", scenario, promises, atMs: world.now() }),
    finding(finding) {
      if (!asked.includes(finding.promise)) return;
      found.add(finding.promise);
      emit({ type: "finding", scenario, finding });
    },
    measurement: (group, value) => emit({ type: "measurement", scenario, group, value }),
    series: (entry) => emit({ type: "series", scenario, ...entry }),
    note: (text) => emit({ type: "note", scenario, text }),
    progress: (text) => emit({ type: "progress", scenario, text }),
    spent: (jobs, credits, usd) => emit({ type: "spent", scenario, jobs, credits, usd }),
    variant: (variant) => emit({ type: "variant", scenario, variant }),
    settled: () => emit({ type: "settled", scenario }),
    ended: () => emit({ type: "ended", scenario, atMs: world.now() }),
  };
}
