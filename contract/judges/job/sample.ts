/** From faults found in samples to a finding: the one form in which job judges decide. */

import type { JobAspect } from "../../decode/job-types.ts";
import type { Exchange } from "../../exchange.ts";
import type { Seen } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import type { PromiseId } from "../../promises.ts";
import type { Looks } from "../../strength.ts";
import type { Finding, Json } from "../../verdict.ts";
import type { JobReading, Look } from "./reading.ts";

/** Something that contradicts the promise: what was measured against what was promised. */
export interface Fault {
  what: string;
  exchanges: readonly Exchange[];
}

export interface Sampled {
  faults: readonly Fault[];
  /** What withholds a verdict, where there is no fault. */
  open?: readonly Seen[];
  /** How many samples could have shown a fault. */
  samples: number;
  /** What a sample is, in the plural; left out: a look. */
  of?: string;
  /** Over how many others the samples were spread. */
  spread?: readonly Looks[];
  /** Said when nothing spoke against the promise. */
  keptSummary: string;
  /** Said when there was nothing to look at. */
  unobservedReason: string;
  evidence?: Readonly<Record<string, Json>>;
}

/** One fault breaks the promise; without a sample nothing is said. */
export function judgeSampled(promise: PromiseId, sampled: Sampled): Finding {
  const { faults, samples, of = "samples", keptSummary, unobservedReason, ...rest } = sampled;
  const good = Math.max(0, samples - faults.length);
  const words = { of, kept: keptSummary, without: unobservedReason };
  return decide(
    countedClaim({ ...rest, promise, faults, good, ...words, quorum: { openShare: 0 } }),
  );
}

/** The problems of one aspect, once a job and place: later answers only repeat them. */
export function aspectFaults(readings: readonly JobReading[], aspect: JobAspect): Fault[] {
  return readings.flatMap((reading) => {
    // Most jobs have none at all, and a load has many jobs.
    if (reading.looks.every(({ problems }) => problems.length === 0)) return [];
    const seen = new Set<string>();
    return reading.looks.flatMap((look) =>
      look.problems
        .filter(({ promise, isUnsettled }) => promise === aspect && !isUnsettled)
        .filter(({ path, expected }) => isNew(seen, `${path} ${expected}`))
        .map(({ path, expected, got }) => faultOf(look, `${path} is ${got}; expected ${expected}`)),
    );
  });
}

export function faultOf(look: Look, what: string): Fault {
  return { what, exchanges: [look.exchange] };
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** "1 job", "2 jobs". */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
