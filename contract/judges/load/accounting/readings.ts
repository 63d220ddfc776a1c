/** What the accounts of a load showed before it, meanwhile and after it. Spec §4.8. */

import type { Look } from "../../../balance/bookings.ts";
import type { Movement } from "../../../balance/changes.ts";
import type { AccountReading, Amounts } from "../../../balance/read.ts";
import type { EarlierJobs } from "../../../jobs/earlier-jobs.ts";
import { mergeNamed } from "../tally-kinds.ts";

/** One account at one time, and what its amounts did just before while nothing was done. */
export interface QuietReading extends AccountReading {
  quiet: Movement;
}

/** The last reading before a load, and the first and the last one after it. */
export interface QuietReadings {
  before: QuietReading;
  first: QuietReading;
  last: QuietReading;
  /** What amounts moved by for each unit of cost, where no amount is told in the costs' own. */
  perCost?: Amounts;
  /** By how much that may be off, as amounts are rounded. Left out in older evidence. */
  perCostError?: Amounts;
  /** Whether that job's charge had a minute to be booked, however late; left out: it had not. */
  isUnitRested?: boolean;
  /** Whether a second job moved nothing of it; left out: it moved what the first did. */
  isUnitLone?: boolean;
  /** While the load went on, one look after the other. */
  meanwhile?: readonly Look[];
  /** From the first reading after it on, one a while after the other. */
  afterwards?: readonly Amounts[];
  /** When the last job had ended; left out in older evidence: at the first reading after it. */
  endedAtMs?: number;
  /** What ran before on it; left out: nothing. */
  earlier?: readonly EarlierJobs[];
}

/** By account. */
export type AccountsSeen = Readonly<Record<string, QuietReadings>>;

/** A key whose account is not declared stands for one of its own. */
export function accountOf({ account, name }: { account: string | null; name: string }): string {
  return account ?? `of key ${name}`;
}

/** Of several generators: from before the first began until all had ended. */
export function mergeAccounts(a: AccountsSeen, b: AccountsSeen): AccountsSeen {
  return mergeNamed(a, b, mergeReadings);
}

function mergeReadings(a: QuietReadings, b: QuietReadings): QuietReadings {
  const [{ before }] = inOrder(a, b, "before");
  const [, { first, afterwards = [] }] = inOrder(a, b, "first");
  const [, { last }] = inOrder(a, b, "last");
  return {
    before,
    first,
    last,
    afterwards,
    endedAtMs: Math.max(a.endedAtMs ?? a.first.readAtMs, b.endedAtMs ?? b.first.readAtMs),
    perCost: { ...b.perCost, ...a.perCost },
    perCostError: { ...b.perCostError, ...a.perCostError },
    isUnitRested: (a.isUnitRested ?? false) && (b.isUnitRested ?? false),
    isUnitLone: (a.isUnitLone ?? false) || (b.isUnitLone ?? false),
    meanwhile: a.meanwhile?.length ? a.meanwhile : (b.meanwhile ?? []),
    earlier: a.earlier ?? b.earlier ?? [],
  };
}

/** By the time of that reading; the same whichever stands first. */
function inOrder(
  a: QuietReadings,
  b: QuietReadings,
  by: "before" | "first" | "last",
): readonly [QuietReadings, QuietReadings] {
  const apartMs = a[by].readAtMs - b[by].readAtMs;
  const isLater = apartMs === 0 ? JSON.stringify(a[by]) >= JSON.stringify(b[by]) : apartMs > 0;
  return isLater ? [b, a] : [a, b];
}
