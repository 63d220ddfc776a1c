/** Judges submit answers and queue waits against their objectives. Spec §1. */

import type { Measured } from "../../strength.ts";
import { measuredAs } from "../../strength.ts";
import type { Finding, Json } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { HostLag } from "./generator.ts";
import { machineDoubt } from "./generator.ts";
import type { Offences } from "./offences.ts";

/** One kind of time with its objective: 99 of 100 values may not exceed it. */
export interface TimedObjective {
  /** What is timed, as a summary names it. */
  name: string;
  objectiveMs: number;
  samples: number;
  p99Ms: number | null;
  /** The values above the objective, beyond the precision of their timestamps. */
  over: Offences;
  /** How many of them lie above it by more than the machine's own lag. */
  beyondLag: number;
}

/** Share of values that a p99 leaves aside. */
const TAIL_SHARE = 0.01;

type Outcome = "kept" | "over" | "lag" | "few" | "none";

export function judgeLatency(
  objectives: readonly TimedObjective[],
  doubt: string | null,
  lag: HostLag,
  without: string,
): Finding {
  const promise = "load.latency";
  if (objectives.length === 0) {
    return unobserved(promise, "no objective for submit answers or queue waits is set");
  }
  const evidence = Object.assign({}, ...objectives.map(evidenceOf)) as Record<string, Json>;
  const of = (outcome: Outcome) => objectives.filter((each) => outcomeOf(each) === outcome);
  if (of("none").length === objectives.length) return unobserved(promise, without);
  if (doubt !== null) return inconclusive(promise, doubt, { evidence });
  const busy = machineDoubt(lag);
  const over = of("over");
  if (over.length > 0 && busy !== null) {
    return inconclusive(promise, `${over.map(describe).join("; ")}; ${busy}`, { evidence });
  }
  if (over.length > 0) {
    const exchanges = over.flatMap(({ over: { kept: some } }) => some.flatMap((s) => s.exchanges));
    return broken(promise, over.map(describe).join("; "), { evidence, exchanges });
  }
  const late = of("lag");
  if (late.length > 0) {
    const reason = `${late.map(describe).join("; ")}; this machine's own lag explains it`;
    return inconclusive(promise, reason, { evidence });
  }
  const weak = [...of("few"), ...of("none")];
  if (weak.length > 0) {
    const reason = weak.map(({ name, samples }) => `${samples} ${name} are too few`).join("; ");
    return inconclusive(promise, reason, { evidence });
  }
  const strength = measuredAs(objectives.flatMap(measuredOf), {
    of: "answers",
    count: fewest(objectives),
  });
  return kept(promise, objectives.map(describe).join("; "), { evidence, strength });
}

function measuredOf({ name, objectiveMs, p99Ms }: TimedObjective): readonly Measured[] {
  if (p99Ms === null) return [];
  const interval = { low: p99Ms, high: p99Ms, leastTolerated: null, mostTolerated: objectiveMs };
  return [{ what: `p99 of ${name}`, unit: "ms", ...interval }];
}

function fewest(objectives: readonly TimedObjective[]): number {
  return Math.min(...objectives.map(({ samples }) => samples));
}

/** With fewer than 100 values a single slow one is the whole tail: it proves nothing. */
function outcomeOf({ samples, over, beyondLag }: TimedObjective): Outcome {
  if (samples === 0) return "none";
  const tail = samples * TAIL_SHARE;
  if (over.count <= tail) return "kept";
  if (beyondLag <= tail) return "lag";
  return over.count === 1 ? "few" : "over";
}

function describe({ name, objectiveMs, p99Ms, over, samples }: TimedObjective): string {
  const p99 = p99Ms === null ? "unknown" : `${Math.round(p99Ms)} ms`;
  return `${name}: p99 ${p99}, objective ${objectiveMs} ms (${over.count} of ${samples} above)`;
}

function evidenceOf({ name, objectiveMs, p99Ms, over, samples }: TimedObjective) {
  return { [name]: { objectiveMs, p99Ms: p99Ms ?? null, samples, above: over.count } };
}
