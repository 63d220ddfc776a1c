/** From faults found in samples to a finding: the one form in which job judges decide. */

import type { JobAspect } from "../../decode/job-types.ts";
import type { Exchange } from "../../exchange.ts";
import type { PromiseId } from "../../promises.ts";
import type { Looks } from "../../strength.ts";
import { looksAt } from "../../strength.ts";
import type { Finding, Json } from "../../verdict.ts";
import { broken, kept, QUOTES_MAX, unobserved } from "../../verdict.ts";
import type { JobReading, Look } from "./reading.ts";

/** Something that contradicts the promise: what was measured against what was promised. */
export interface Fault {
  what: string;
  exchanges: readonly Exchange[];
}

export interface Sampled {
  faults: readonly Fault[];
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
  const { faults, samples } = sampled;
  const [first] = faults;
  if (first !== undefined) {
    const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
    const examples = faults.slice(0, QUOTES_MAX).map((fault) => fault.what);
    return broken(promise, first.what + more, {
      evidence: { ...sampled.evidence, samples, faults: faults.length, examples },
      exchanges: faults.flatMap((fault) => fault.exchanges),
    });
  }
  if (samples === 0) return unobserved(promise, sampled.unobservedReason);
  return kept(promise, sampled.keptSummary, {
    evidence: { ...sampled.evidence, samples },
    strength: looksAt(samples, sampled.of ?? "looks", ...(sampled.spread ?? [])),
  });
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
