/** Finds what may be a balance in account records, whose fields are open. Spec §2.10, §4.8. */

import { isObject } from "../decode/decoded.ts";
import { decimalsOf } from "../numbers/decimals.ts";
import type { Exchange } from "../requests/exchange.ts";
import { jsonBody } from "../requests/exchange.ts";

/** Numbers by the dotted path at which they stand. */
export type Amounts = Readonly<Record<string, number>>;

/** Ours: a balance stands near the top; bounds the search in a hostile body. */
const DEPTH_MAX = 4;
const BALANCE_NAME = /balance|credit/i;

/** Ours: texts beside an amount that tell its unit. */
const UNIT_FIELDS = ["currency", "unit"];
const UNIT_CHARS_MAX = 20;
const DOLLARS = /^(usd|us\$|\$|us[ -]?dollars?|dollars?)$/i;

/**
 * Numbers, also written as decimal text, whose path speaks of a balance or of credits. Where a text
 * beside them says that they are US dollars, or in another unit, the path says so too. Of arrays
 * only those are entered that have one amount of each unit: no histories.
 */
export function findAmounts(body: unknown, prefix: string): Amounts {
  const found: Record<string, number> = {};
  collect(body, prefix, DEPTH_MAX, found);
  return found;
}

/** An account at one time, by what its endpoints answered. */
export interface AccountReading {
  amounts: Amounts;
  readAtMs: number;
  exchanges: readonly Exchange[];
}

export function readingOf(exchanges: readonly Exchange[]): AccountReading {
  const found = exchanges
    .filter(({ status }) => status === 200)
    .map((exchange) => findAmounts(jsonBody(exchange), exchange.route));
  const readAtMs = Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs));
  return { amounts: Object.assign({}, ...found) as Amounts, readAtMs, exchanges };
}

function collect(value: unknown, path: string, depth: number, found: Record<string, number>): void {
  const amount = amountOf(value);
  if (amount !== null && BALANCE_NAME.test(path)) found[path] = amount;
  if (depth === 0) return;
  for (const [unit, each] of byUnit(value)) collect(each, `${path}[${unit}]`, depth - 1, found);
  if (!isObject(value)) return;
  const unit = unitBeside(value);
  for (const [name, inner] of Object.entries(value)) {
    collect(inner, `${path}.${name}${isObject(inner) ? "" : unit}`, depth - 1, found);
  }
}

/** Ours: an account has no more currencies. */
const UNITS_MAX = 8;

/**
 * Of a list of an account's amounts, one of each unit: its entries. Those of a history have other
 * texts beside, and units that come again.
 */
function byUnit(value: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value) || value.length > UNITS_MAX) return [];
  const entries = value.flatMap((each: unknown) => {
    const unit = isObject(each) ? soleUnitIn(each) : null;
    return unit === null ? [] : [[unit.slice(0, UNIT_CHARS_MAX), each] as const];
  });
  const isOneOfEach = new Set(entries.map(([unit]) => unit)).size === value.length;
  return isOneOfEach ? entries : [];
}

/** null where there is none, or another text beside it. */
function soleUnitIn(record: Record<string, unknown>): string | null {
  const texts = Object.entries(record).filter(([, field]) => {
    return typeof field === "string" && amountOf(field) === null;
  });
  const [unit, ...others] = texts;
  if (unit === undefined || others.length > 0 || !UNIT_FIELDS.includes(unit[0])) return null;
  return String(unit[1]);
}

function unitBeside(record: Record<string, unknown>): string {
  const texts = UNIT_FIELDS.map((name) => record[name]).filter((text) => typeof text === "string");
  if (texts.some((text) => DOLLARS.test(text))) return " (USD)";
  const other = texts.find(namesOtherUnit);
  return other === undefined ? "" : ` (${other.slice(0, UNIT_CHARS_MAX)})`;
}

/** Ours: services that shun binary fractions write amounts as decimal text. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,12})?$/;

function amountOf(value: unknown): number | null {
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Ours: sums of decimal prices in binary fractions differ in the last places. */
export const SUM_ERROR = 1e-6;

/** By how much each amount fell; those that did not fall are left out. */
export function fallsBetween(before: Amounts, after: Amounts): Amounts {
  const falls: Record<string, number> = {};
  for (const [path, value] of Object.entries(before)) {
    const fall = value - (after[path] ?? value);
    if (fall > SUM_ERROR) falls[path] = fall;
  }
  return falls;
}

/** The step in which two readings of an amount are shown, by their decimals. */
export function shownStep(before: number | undefined, after: number | undefined): number {
  return 10 ** -Math.max(decimalsOf(before), decimalsOf(after));
}

/** Paths whose amounts differ, or stand on one side only. */
export function pathsMoved(before: Amounts, after: Amounts): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]);
}

/** Ours: how far the readings of a clock may be off, its whole units and the way included. */
const CLOCK_ERROR_SECONDS = 1.5;
/** Clocks among amounts count seconds or milliseconds; coarser ones hardly move during a run. */
const CLOCK_UNITS_PER_SECOND = [1, 1_000];

/** What an account showed before something, and after it. */
export interface Change {
  before: Amounts;
  after: Amounts;
}

/** The same, and how long that took. */
export interface Movement extends Change {
  /** The time in between. */
  seconds: number;
}

export function movementOf(before: AccountReading, after: AccountReading): Movement {
  const seconds = (after.readAtMs - before.readAtMs) / 1_000;
  return { before: before.amounts, after: after.amounts, seconds };
}

/**
 * Whether there was quiet, and an amount was seen not to fall in it: what it fell by else has a
 * cause.
 */
export function isStill(path: string, quiet: readonly Change[]): boolean {
  const isStillIn = ({ before, after }: Change) =>
    path in before && path in after && !(path in fallsBetween(before, after));
  return quiet.length > 0 && quiet.every(isStillIn);
}

/** Ours: balances are kept in whole hundredths, thousandths or millionths to be exact. */
const SMALL_UNITS = [100, 1_000, 1_000_000];
/** Ours: costs may be rounded for display. */
const UNIT_TOLERANCE_SHARE = 0.001;

export function isSmallUnit(ratio: number, tolerance = UNIT_TOLERANCE_SHARE): boolean {
  return SMALL_UNITS.some((unit) => Math.abs(ratio / unit - 1) <= tolerance);
}

/** Whether a job of that cost took as much from an amount as it does from a balance. */
export function isCharge(fall: number, cost: number): boolean {
  return sameAmount(fall, cost) || isSmallUnit(fall / cost);
}

/** Whether an amount fell in each quiet span: requests that are left count down with each one. */
export function fallsByItself(path: string, quiet: readonly Change[]): boolean {
  const fell = quiet.filter(({ before, after }) => path in fallsBetween(before, after));
  return quiet.length > 0 && fell.length === quiet.length;
}

/**
 * Whether an amount counts something else than money: whole numbers, in the quiet as well, of which
 * a job that cost a fraction took as many as no balance loses by it. `job`: null where no such job
 * was seen.
 */
export function isCounter(
  path: string,
  quiet: readonly Change[],
  job: { fall: number; cost: number } | null,
): boolean {
  const falls = quiet.map(({ before, after }) => fallsBetween(before, after)[path] ?? 0);
  if (!falls.every(Number.isInteger) || !fallsByItself(path, quiet)) return false;
  if (job === null) return true;
  const isWhole = Number.isInteger(job.fall) && !Number.isInteger(job.cost);
  return isWhole && !isCharge(job.fall, job.cost);
}

/** Whether an amount moved in each span by what time did: a countdown is no balance. */
export function isClock(path: string, spans: readonly Movement[]): boolean {
  return CLOCK_UNITS_PER_SECOND.some((units) =>
    spans.every(({ before, after, seconds }) => {
      const moved = Math.abs((after[path] ?? 0) - (before[path] ?? 0)) / units;
      return moved > 0 && Math.abs(moved - seconds) <= CLOCK_ERROR_SECONDS;
    }),
  );
}

/** Whether an amount moved by the same in each span: a reading may count itself. */
export function isTally(path: string, spans: readonly Movement[]): boolean {
  const moved = spans.map(({ before, after }) => (after[path] ?? 0) - (before[path] ?? 0));
  const [first = 0] = moved;
  return Math.abs(first) > SUM_ERROR && moved.every((each) => sameAmount(each, first));
}

/** Whether the path of an amount says that it is in US dollars. */
export function namesDollars(path: string): boolean {
  return /usd|dollar/i.test(path);
}

/** Of "me.availableCredits": me, available, credits. */
export function wordsOf(path: string): readonly string[] {
  const apart = path.replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2").toLowerCase();
  return apart.split(/[^a-z]+/).filter((word) => word !== "");
}

/** Ours: words of units in which neither credits nor dollars are counted, and of parts of those. */
const OTHER_UNIT = /^(percent|pct|cent|euro?|gbp|token|point)s?$|cents$/;
const PART_OF_UNIT = /^(micro|milli|nano)/;
const CREDITS = /^credits?$/;

/** Whether the path of an amount says that it is in neither: token credits are credits. */
export function namesOtherUnit(path: string): boolean {
  const words = wordsOf(path);
  const unit = words.findLast((word) => OTHER_UNIT.test(word) || CREDITS.test(word)) ?? "";
  return OTHER_UNIT.test(unit) || words.some((word) => PART_OF_UNIT.test(word));
}

export function sameAmount(a: number, b: number): boolean {
  return Math.abs(a - b) <= SUM_ERROR * Math.max(1, Math.abs(a), Math.abs(b));
}
