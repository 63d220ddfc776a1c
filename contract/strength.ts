/**
 * What a kept promise rules out. Of n independent looks without a fault, at 95 % confidence: any
 * share of faults above 1 - 0.05^(1/n), the exact bound of Clopper and Pearson (1934) for none of
 * n. Of a quantity: the interval that holds what was measured, beside the one tolerated.
 */

/** Looks of one kind. 300 jobs of one worker are 300 jobs and one worker. */
export interface Looks {
  /** In the plural: "jobs", "workers", "keys", "requests". */
  of: string;
  count: number;
}

/** A quantity; null where a side is not bounded. */
export interface Measured {
  what: string;
  unit: "ms" | "per second" | "requests" | "share";
  low: number | null;
  high: number | null;
  leastTolerated: number | null;
  mostTolerated: number | null;
}

export interface Strength {
  /** First what the promise speaks of, then over how many others the looks were spread. */
  looks: readonly Looks[];
  measured: readonly Measured[];
  /** What the promise holds for as well and nobody looked at, a few words each. */
  notTried: readonly string[];
}

/** Ours: as in all of Plumbline's intervals. */
const CONFIDENCE = 0.95;

/** The greatest share of faults that so many looks miss in one case of 20; 1 for no look. */
export function faultShareBelow(looks: number): number {
  return looks <= 0 ? 1 : 1 - (1 - CONFIDENCE) ** (1 / looks);
}

/** `of` in the plural; further kinds say over how many others the looks were spread. */
export function looksAt(count: number, of: string, ...spread: readonly Looks[]): Strength {
  return { looks: [{ of, count }, ...spread], measured: [], notTried: [] };
}

/**
 * Of several witnesses: what they looked at adds up; what it was spread over may be the same for
 * all of them, and counts once. A thing is not tried when none of them tried it.
 */
export function mergedStrength(strengths: readonly Strength[]): Strength {
  const [first, ...others] = strengths.map(
    ({ looks }) => new Map(looks.map((l) => [l.of, l.count])),
  );
  const looks = new Map(first);
  const main = strengths[0]?.looks[0]?.of;
  for (const other of others) {
    for (const [of, count] of other) {
      const known = looks.get(of) ?? 0;
      looks.set(of, of === main ? known + count : Math.max(known, count));
    }
  }
  const [one, ...rest] = strengths.map(({ notTried }) => notTried);
  return {
    looks: [...looks].map(([of, count]) => ({ of, count })),
    measured: strengths.flatMap(({ measured }) => measured),
    notTried: (one ?? []).filter((what) => rest.every((each) => each.includes(what))),
  };
}
