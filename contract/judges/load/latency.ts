/** load.latency: submit answers and queue waits against their objectives. Spec §1. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import { mostByChance } from "../../numbers/binomial.ts";
import { countAbove, quantileOf } from "../../numbers/histogram.ts";
import type { LoadObjectives } from "../../run/run-plan.ts";
import type { Json } from "../../verdict.ts";
import type { OwnState } from "./generator.ts";
import { lagAllowanceMs, withdrawnBy } from "./generator.ts";
import { hostLagOf } from "./reading.ts";
import type { LoadTally } from "./tally.ts";
import type { Violations } from "./violations.ts";

/** One kind of time with its objective: 99 of 100 values may not exceed it. */
export interface TimedObjective {
  /** What is timed, as a summary names it. */
  name: string;
  objectiveMs: number;
  samples: number;
  p99Ms: number | null;
  /** The values above the objective, beyond the precision of their timestamps. */
  over: Violations;
  /** How many of them lie above it by more than the machine's own lag. */
  beyondLag: number;
  /** They are told by durations that are not those of whole runs. */
  isShortened: boolean;
}

/** Share of values that a p99 leaves aside. */
const TAIL_SHARE = 0.01;

export function latencyClaim(
  objectives: readonly TimedObjective[],
  own: OwnState,
  without: string,
): Claim {
  const isSet = objectives.length > 0;
  const isSeen = objectives.some(({ samples }) => samples > 0);
  return {
    promise: "load.latency",
    unit: "share",
    tolerated: { low: 0, high: TAIL_SHARE },
    samples: isSeen ? objectives.map(sampleOf) : [],
    looks: Math.min(...objectives.map(({ samples }) => samples)),
    of: "responses",
    kept: objectives.map(describe).join("; "),
    without: isSet ? without : "no objective for submit latency or queue wait is set",
    ...withdrawnBy(own),
    quorum: { openShare: 0 },
    evidence: Object.assign({}, ...objectives.map(evidenceOf)) as Record<string, Json>,
  };
}

/** Ours: a service that just meets its objective is not called slow more often than that. */
const CHANCE_MAX = 1e-3;

/**
 * The share of values above the objective; a p99 leaves one in a hundred aside. Of a few hundred,
 * some more than that are slow by chance: of 50 up to 4, of 300 up to 10, of 10,000 up to 132.
 */
function sampleOf(objective: TimedObjective): Sample {
  const { name, samples, over, beyondLag, isShortened } = objective;
  const few = `${samples} ${name} are too few`;
  if (samples === 0) return { low: 0, high: 1, what: few };
  const byChance = mostByChance(samples, TAIL_SHARE, CHANCE_MAX) / samples - TAIL_SHARE;
  const lag = "this machine's own lag explains it";
  return {
    low: over.count / samples,
    high: over.count / samples,
    what: describe(objective),
    above: isShortened
      ? [anything("another fault", SHORTENED)]
      : [
          { cause: "host lag", atMost: (over.count - beyondLag) / samples, why: lag },
          { cause: "too little seen", atMost: byChance, why: few },
        ],
    exchanges: over.kept.flatMap(({ exchanges }) => exchanges),
  };
}

/** Variant A tells no start: it is counted back from the end. */
const SHORTENED = "durations are not those of whole runs, as those of timeouts show";

function describe({ name, objectiveMs, p99Ms, over, samples }: TimedObjective): string {
  const p99 = p99Ms === null ? "unknown" : `${Math.round(p99Ms)} ms`;
  return `${name}: p99 ${p99}, objective ${objectiveMs} ms (${over.count} of ${samples} above)`;
}

function evidenceOf({ name, objectiveMs, p99Ms, over, samples }: TimedObjective) {
  return { [name]: { objectiveMs, p99Ms: p99Ms ?? null, samples, above: over.count } };
}

export function timedObjectives(
  tally: LoadTally,
  { submitP99Ms, queueWaitP99Ms }: LoadObjectives,
): TimedObjective[] {
  const lagMs = lagAllowanceMs(hostLagOf(tally).wholeMs);
  const objective = (
    name: string,
    objectiveMs: number | null,
    { all, over }: LoadTally["submit"],
    isShortened: boolean,
  ): TimedObjective[] => {
    if (objectiveMs === null) return [];
    const beyondLag = countAbove(all, objectiveMs + lagMs);
    const p99Ms = quantileOf(all, 0.99);
    return [{ name, objectiveMs, samples: all.count, p99Ms, over, beyondLag, isShortened }];
  };
  const { submit, queueWait, timeouts } = tally;
  return [
    ...objective("submit responses", submitP99Ms, submit, false),
    ...objective("queue waits", queueWaitP99Ms, queueWait, timeouts.shortened > 0),
  ];
}
