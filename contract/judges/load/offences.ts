/** Collects what contradicts a promise in a soak: all are counted, some are kept to be quoted. */

import type { Exchange } from "../../exchange.ts";
import type { PromiseId } from "../../promises.ts";
import type { Finding, Json } from "../../verdict.ts";
import { broken } from "../../verdict.ts";

/** One observation that contradicts a promise, in words and with the exchanges that show it. */
export interface Offence {
  what: string;
  exchanges: readonly Exchange[];
}

export interface Offences {
  count: number;
  /** The first of them. */
  kept: Offence[];
}

/** Ours: a report that lists more is not read any further, and a day's soak stays in memory. */
const OFFENCES_KEPT_MAX = 50;

export function noOffences(): Offences {
  return { count: 0, kept: [] };
}

export function addOffence(offences: Offences, offence: Offence): void {
  offences.count += 1;
  if (offences.kept.length < OFFENCES_KEPT_MAX) offences.kept.push(offence);
}

/** Takes one back that was none after all. */
export function withdrawOffence(offences: Offences, what: string): void {
  offences.count -= 1;
  offences.kept = offences.kept.filter((each) => each.what !== what);
}

/** Broken, with the first offence as its summary and the others as evidence. */
export function brokenBy(
  promise: PromiseId,
  offences: Offences,
  evidence: Readonly<Record<string, Json>>,
  summary?: string,
): Finding {
  const first = offences.kept[0]?.what ?? "";
  const more = offences.count > 1 ? ` (and ${offences.count - 1} more)` : "";
  return broken(promise, summary ?? first + more, {
    evidence: {
      ...evidence,
      faults: offences.count,
      offenders: offences.kept.map(({ what }) => what),
    },
    exchanges: offences.kept.flatMap(({ exchanges }) => exchanges),
  });
}
