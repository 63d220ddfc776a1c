/** Counted promises of rate-limited keys: what was seen of several keys is one claim. */

import type { Claim, Explanation, Sample } from "../../judging/claim.ts";
import { alike, countedClaim } from "../../judging/claim.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Json } from "../../verdict.ts";

/** What contradicts a promise: a clause without the key, and the exchanges that show it. */
export interface KeyFault {
  what: string;
  /** Of so many samples. */
  times: number;
  exchanges: readonly Exchange[];
  /** What else than the service may be the reason. */
  above?: readonly Explanation[];
}

/** Why nothing can be kept of a key: a clause, what it is due to, and of what kind it is. */
export type Doubt = Omit<Explanation, "atMost"> & Pick<Sample, "strata">;

/** What was seen of one key; null where there was nothing to see. */
export interface KeySeen {
  key: string;
  faults: readonly KeyFault[];
  doubt: Doubt | null;
  /** Samples that speak for the promise. */
  good: number;
  /** Said of a key of which only good is known. */
  said: string;
  evidence: Json;
}

type Words = Pick<Claim, "promise" | "of" | "without">;

export function keysClaim(words: Words, all: readonly (KeySeen | null)[]): Claim {
  const seen = all.filter((each) => each !== null);
  const doubts = seen.flatMap(({ key, doubt }) =>
    doubt === null ? [] : [{ ...doubt, why: `${key}: ${doubt.why}`, atMost: Infinity }],
  );
  const faults = seen.flatMap(({ key, faults: own }) =>
    own.map((fault) => ({ ...fault, key, what: `${key}: ${fault.what}` })),
  );
  // The samples that a fault stands for beside the one that is quoted.
  const others = faults.flatMap(({ times, what, key, above = [] }) =>
    alike(times - 1, what).map((each) => ({ ...each, key, above })),
  );
  return countedClaim({
    ...words,
    faults: [...faults, ...others],
    open: doubts.map(({ why, explainedBy = [], strata = {} }) => ({
      what: why,
      explainedBy,
      strata,
    })),
    hidden: doubts,
    good: seen.reduce((sum, { good }) => sum + good, 0),
    kept: saidOfKeys(seen),
    spread: words.of === "keys" ? [] : [{ of: "keys", count: seen.length }],
    evidence: Object.fromEntries(seen.map(({ key, evidence }) => [key, evidence])),
  });
}

/** Keys of which the same is said stand together. */
export function saidOfKeys(seen: readonly { key: string; said: string }[]): string {
  const clauses = [...new Set(seen.map(({ said }) => said))];
  const keysOf = (clause: string) => seen.flatMap(({ key, said }) => (said === clause ? key : []));
  return clauses.map((clause) => `${keysOf(clause).join(", ")}: ${clause}`).join("; ");
}
