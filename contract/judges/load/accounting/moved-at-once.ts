/** What an account gained or lost at once while a load went on, by readings of it meanwhile. */

import type { Look } from "../../../balance/bookings.ts";
import { bookedEveryMs, isBookedTogether } from "../../../balance/bookings.ts";
import { SUM_ERROR } from "../../../balance/changes.ts";
import type { Moving } from "../../../balance/unit-cost.ts";
import { leastOf, mostOf } from "../../../numbers/extremes.ts";
import { medianOf } from "../../../numbers/figures.ts";
import { groupsOf } from "../../../time/spans.ts";
import type { AccountLedger, Balance } from "./ledger.ts";

/** Ours: spans stand out by so many times of what others differ by at the median. */
const UNUSUAL = 5;
const SPANS_MIN = 5;
/** Ours: so many jobs' charges, booked together, are still no fee. */
const JOBS_AT_ONCE = 5;

/**
 * What is lacking all along is not charged; what is lacking at once was paid in. While a load
 * begins or ends only a rise tells, and at its end one that is more than what held prices give
 * back, or one after which jobs are still charged, as nothing is held for those; how much was taken
 * meanwhile is open, but no more than in its midst. `isShort`: a load that was hardly ever steady
 * tells, too. From a span on in which as much was charged as in its midst, a load that begins is as
 * good as steady.
 */
export function paidIn(ledger: AccountLedger, moving: Moving, isShort: boolean): number {
  return Math.max(...waysToLook(ledger, moving).map((spans) => paidBetween(spans, isShort)));
}

function paidBetween(spans: readonly Span[], isShort: boolean): number {
  const seen = usualOf(spans, isShort);
  if (seen === null) return 0;
  const lastFall = spans.findLastIndex(({ fall, looks }) => fall > seen.spread * looks);
  const firstWhole = spans.findIndex(({ fall, looks }) => fall >= seen.usual * looks);
  const lacking = spans.map(({ fall, looks, isEarly, ...span }, index) => {
    const isSteady = span.isSteady || (isEarly && index > firstWhole && firstWhole >= 0);
    const less = seen.usual * looks - fall;
    const holdsNothing = isSteady || isEarly || index < lastFall;
    const most = holdsNothing ? UNUSUAL * seen.spread : Math.abs(seen.usual);
    return (isSteady ? less : -fall) > most * looks ? less : 0;
  });
  return lacking.reduce((sum, less) => sum + less, 0);
}

/** Ours: of what is usual, so little in a span of a short load may have been paid back in part. */
const LITTLE_SHARE = 0.5;

/**
 * What was paid in at the most where an amount rose while jobs were charged, or, in a load too
 * short to tell what is usual, hardly fell: as much as jobs took in any one span, and the rise.
 * While a load ends, held prices may be given back as well.
 */
export function paidInAtMost(ledger: AccountLedger, moving: Moving): number {
  const spans = begunIn(spansOf(ledger, moving));
  const isShort = spans.filter(({ isSteady }) => isSteady).length < SPANS_MIN;
  const falls = spans.map(({ fall, looks }) => fall / looks);
  const little = isShort && spans.length >= SPANS_MIN ? LITTLE_SHARE * medianOf(falls) : 0;
  const most = Math.max(0, ...falls);
  return spans
    .filter(({ fall, looks, isSteady }) => fall < (isSteady ? little * looks : 0) - SUM_ERROR)
    .reduce((sum, { fall, looks }) => sum + most * looks - fall, 0);
}

/** What is held for jobs is given back while a load ends: that is not how they are charged. */
function begunIn(spans: readonly Span[]): readonly Span[] {
  return spans.filter(({ isSteady, isEarly }) => isSteady || isEarly);
}

/**
 * What is too much all along is charged for jobs; what is too much at once, and more than so many
 * of the jobs cost, is a fee, or credits that expire. While a load begins or ends, as many jobs
 * end as in its midst at the most, and perhaps none: all of it may be the fee.
 */
export function takenAtOnce(ledger: AccountLedger, moving: Moving): number {
  const ofJobs = atOnce(ledger, moving);
  return Math.max(...waysToLook(ledger, moving).map((spans) => takenBetween(spans, ofJobs)));
}

function takenBetween(spans: readonly Span[], ofJobs: number): number {
  const seen = usualOf(spans, true);
  if (seen === null) return 0;
  const excess = spans.map(({ fall, looks, isSteady }) => {
    const more = fall - seen.usual * looks;
    const least = Math.max(UNUSUAL * seen.spread * looks, ofJobs);
    return more > least ? (isSteady ? more : fall) : 0;
  });
  return excess.reduce((sum, more) => sum + more, 0);
}

/** What else than jobs moved an amount: in so many moves, by so much in all; a payment is less. */
export interface Beside {
  moves: number;
  least: number;
  most: number;
}

/**
 * A move stands out of what jobs take in a span: in the midst of a load about the usual, while it
 * begins or ends anything up to that; and at its end, held prices may be given back.
 */
export function besideJobs(ledger: AccountLedger, moving: Moving): Beside | null {
  const spans = spansMoved(ledger, moving);
  const seen = usualOf(spans, true);
  if (seen === null) return null;
  const margin = atOnce(ledger, moving);
  let [moves, least, most] = [0, 0, 0];
  for (const { fall, looks, isSteady, isEarly } of spans) {
    const [usual, width] = [seen.usual * looks, UNUSUAL * seen.spread * looks + margin];
    const high = usual + width;
    const low = (isSteady ? usual : isEarly ? 0 : -usual) - width;
    if (fall >= low && fall <= high) continue;
    moves += 1;
    least += fall - high;
    most += fall - low;
  }
  return moves === 0 ? null : { moves, least, most };
}

/** Ours: at the load's start jobs have to end first, and a cached view stands still by itself. */
const STOOD_MIN = { times: 2, looks: 2 };

/**
 * An amount that stands still until it falls as any other does is used up after another one, of
 * which nothing need be shown: credits that are given away, or that a month includes. It is told
 * only where the load was steady, and by a rest that is far longer than those that follow.
 */
export function lackingAtFirst(ledger: AccountLedger, moving: Moving): number {
  const spans = spansOf(ledger, moving);
  const first = spans.findIndex(({ fall }) => fall > 0);
  const stood = spans.slice(0, Math.max(0, first));
  const later = spans.slice(first + 1).filter(({ isSteady }) => isSteady);
  if (later.length < SPANS_MIN || !stood.some(({ isSteady }) => isSteady)) return 0;
  const falls = later.map(({ fall }) => fall);
  const inARow = groupsOf(falls, (next, before) => next > 0 || before > 0);
  const rests = mostOf(inARow.map((row) => row.filter((fall) => fall <= 0).length));
  if (stood.length <= STOOD_MIN.times * rests + STOOD_MIN.looks) return 0;
  const usual = falls.reduce((sum, fall) => sum + fall, 0) / falls.length;
  // The last of what was used before may have paid most of the span in which it ended.
  return usual * (stood.length + 1);
}

/** Ours: parts of as many jobs each differ by no more, as jobs of several prices are among them. */
const PARTS_ALIKE = 0.2;

/**
 * Whether what jobs cost came off in parts, of several jobs each, while jobs ended all along, and
 * the last of them may not have come: how far apart they are is not known, or it was longer. So may
 * one that comes once there are enough jobs for it, where none came and less than one is lacking.
 * @param step What the amount is rounded to, of which a part is no single one.
 */
export function mayBeBookedLater(ledger: AccountLedger, moving: Balance, step: number): boolean {
  const spans = spansOf(ledger, moving);
  const parts = spans.map(({ fall }) => fall).filter((fall) => fall > 0);
  const everyMs = bookedEveryMs(ledger.meanwhile, moving.path);
  if (everyMs !== null && everyMs <= ledger.restedMs) {
    const lacking = ledger.cost * Math.abs(moving.perCost) - Math.abs(moving.fall);
    const isOfSoMany = mostOf(parts) - leastOf(parts) <= PARTS_ALIKE * mostOf(parts);
    const isShort = isOfSoMany && lacking < mostOf(parts);
    if (!isShort || ledger.movedSince.includes(moving.path)) return false;
  }
  const several = Math.max(step, atOnce(ledger, moving));
  const isEnough = spans.filter(({ isSteady }) => isSteady).length >= SPANS_MIN;
  return isEnough && parts.length > 0 && parts.every((part) => part > several + SUM_ERROR);
}

/** What so many jobs are charged at the most. */
function atOnce({ dearest }: AccountLedger, { perCost }: Moving): number {
  return JOBS_AT_ONCE * dearest * Math.abs(perCost);
}

/** What an amount falls by at the median of looks, and what the others differ from that by. */
function usualOf(spans: readonly Span[], isShort: boolean) {
  const steady = spans.filter(({ isSteady }) => isSteady);
  const ways = isShort ? [steady, begunIn(spans), spans] : [steady];
  const told = ways.find(({ length }) => length >= SPANS_MIN);
  if (told === undefined) return null;
  const falls = told.map(({ fall, looks }) => fall / looks);
  const usual = medianOf(falls);
  const spread = medianOf(falls.map((fall) => Math.abs(fall - usual)));
  return { usual, spread };
}

/** From one reading of the amount to the next. */
interface Span {
  /** Of what is paid from it; of what rises with the costs, by how much it rose. */
  fall: number;
  /** 1, and one more for each look between them that failed: what was paid in then shows later. */
  looks: number;
  isSteady: boolean;
  /** It began before the load was steady: nothing that is held for jobs is given back yet. */
  isEarly: boolean;
}

/**
 * Look by look, and as the amount moved: a cached view moves by nothing and then by twice as much,
 * so that nothing stands out, or every rise does. What is booked together stands out look by look.
 */
function waysToLook(ledger: AccountLedger, moving: Moving): readonly (readonly Span[])[] {
  const moved = spansMoved(ledger, moving);
  const isTold = moved.filter(({ isSteady }) => isSteady).length >= SPANS_MIN;
  if (isTold && isBookedTogether(ledger.meanwhile, moving.path, ledger.jobs)) return [moved];
  return [spansOf(ledger, moving), moved];
}

function spansOf({ meanwhile }: AccountLedger, moving: Moving): readonly Span[] {
  return spansAmong(looksAt(meanwhile, moving), moving);
}

/** Between looks at which it had moved: a cached view is as of then, whenever it is made anew. */
function spansMoved({ meanwhile }: AccountLedger, moving: Moving): readonly Span[] {
  const looks = looksAt(meanwhile, moving);
  const moved = looks.filter(({ amount }, index) => amount !== looks[index - 1]?.amount);
  return spansAmong(moved, moving);
}

/** An amount at one of all looks; those that failed have none. */
interface AmountAt {
  amount: number;
  isSteady: boolean;
  at: number;
}

function looksAt(meanwhile: readonly Look[], { path }: Moving): readonly AmountAt[] {
  return meanwhile.flatMap(({ amounts, isSteady }, at) => {
    const amount = amounts[path];
    return amount === undefined ? [] : [{ amount, isSteady, at }];
  });
}

function spansAmong(looks: readonly AmountAt[], { perCost }: Moving): readonly Span[] {
  const steadyAt = looks.find(({ isSteady }) => isSteady)?.at ?? 0;
  return looks.slice(1).flatMap((to, index) => {
    const from = looks[index];
    if (from === undefined) return [];
    const isSteady = from.isSteady && to.isSteady;
    const isEarly = from.at < steadyAt;
    const fall = (from.amount - to.amount) * Math.sign(perCost);
    return [{ fall, looks: to.at - from.at, isSteady, isEarly }];
  });
}
