/** Reads timestamps without an engine's own date parser, whose leniency differs from k6 to Node. */

export interface ParsedTimestamp {
  /** Milliseconds since the epoch; microseconds and finer survive as its fraction. */
  readonly ms: number;
  /** Digits after the decimal sign; 0 for whole seconds, `WHOLE_MINUTES` without seconds. */
  readonly fractionDigits: number;
  /** Whether its decimals tell nothing, see `cutTogether`. */
  readonly isCut?: boolean;
}

export interface Timestamp extends ParsedTimestamp {
  readonly text: string;
}

/**
 * Ours: of the offsets only those that say UTC; in the extended format, and in the basic one, which
 * leaves out what parts the digits. Letters may be small: RFC 3339 §5.6, note. Seconds may be left
 * out, as ISO 8601 allows: Java's `OffsetDateTime` does so where they are zero.
 */
const EXTENDED =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|[+-]00(?::?00)?)$/i;
const BASIC =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?(?:Z|[+-]00(?:00)?)$/i;

/** Stands for the fraction digits of a time without seconds. */
const WHOLE_MINUTES = -1;

/** Ours: the clocks of a service's own machines may differ by as much. */
export const MACHINES_DIFFER_MS = 500;

/** Ours: a double that counts milliseconds since 1970 can't tell finer digits apart. */
const USED_DIGITS_MAX = 9;

/** Ours: the texts of some seconds of a load: a job tells each of its times several times over. */
const TEXTS_MAX = 4_096;
/** Ours: an honest one is shorter. */
const TEXT_CHARS_MAX = 40;
const texts = new Map<string, Timestamp | null>();

/** The instant that an ISO 8601 UTC text names; null for anything else, or an impossible date. */
export function parseTimestamp(text: unknown): Timestamp | null {
  if (typeof text !== "string") return null;
  if (text.length > TEXT_CHARS_MAX) return read(text);
  const before = texts.get(text);
  if (before !== undefined) return before;
  const parsed = read(text);
  if (texts.size >= TEXTS_MAX) texts.clear();
  texts.set(text, parsed);
  return parsed;
}

function read(text: string): Timestamp | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return null;
  // By index: destructuring an array takes k6's engine ten times as long.
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 59) return null;
  const dayMs = utcDayMs(Number(match[1]), Number(match[2]), Number(match[3]));
  if (dayMs === null) return null;
  const digits = match[7] ?? "";
  const ms = dayMs + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs(digits);
  return { text, ms, fractionDigits: match[6] === undefined ? WHOLE_MINUTES : digits.length };
}

/** Beyond it a Date has no value. ECMA-262 §21.4.1.1. */
const DATE_MAX_MS = 8.64e15;

/** As reports write it; what a hostile answer may add up to is a number and no date. */
export function utc(ms: number): string {
  return Math.abs(ms) <= DATE_MAX_MS ? new Date(ms).toISOString() : `${ms} ms from 1970`;
}

/** How far the stated time may lie before the true one, when the writer cut digits off. */
export function precisionMs(timestamp: ParsedTimestamp): number {
  return Math.max(writtenMs(timestamp), timestamp.isCut === true ? 1000 : 0);
}

/** The same by its digits alone: two texts of one time that have equally many are the same. */
export function writtenMs({ fractionDigits }: ParsedTimestamp): number {
  return fractionDigits === WHOLE_MINUTES ? 60_000 : 1000 / 10 ** Math.min(fractionDigits, 3);
}

/**
 * The times of one job. Where two of them or more all name a full second, they come from a store of
 * whole seconds, whose zeros after the point tell nothing: of whole milliseconds it is 1 in 10^6.
 * So they do beside a duration of whole seconds, if one is told.
 */
export function cutTogether<Name extends string>(
  times: Readonly<Record<Name, Timestamp | null>>,
  durationMs?: number | null,
): Readonly<Record<Name, Timestamp | null>> {
  const told = durationMs == null ? [] : [durationMs];
  for (const name in times) if (times[name] !== null) told.push(times[name].ms);
  if (told.length < 2 || told.some((ms) => ms % 1_000 !== 0)) return times;
  const cut: Record<Name, Timestamp | null> = { ...times };
  for (const name in times) if (times[name] !== null) cut[name] = { ...times[name], isCut: true };
  return cut;
}

/** By how much a duration may be off: of whole seconds, it comes from the store of such an end. */
export function durationRoomMs(durationMs: number, finishedAt: ParsedTimestamp): number {
  return finishedAt.isCut === true && durationMs % 1_000 === 0 ? 1_000 : 0;
}

/** The day that was asked for last: most timestamps of a run are of one. */
let known = { year: Number.NaN, month: 0, day: 0, ms: null as number | null };

function utcDayMs(year: number, month: number, day: number): number | null {
  if (known.year !== year || known.month !== month || known.day !== day) {
    known = { year, month, day, ms: dayMsOf(year, month, day) };
  }
  return known.ms;
}

function dayMsOf(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const dayMs = date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? dayMs : null;
}

function fractionMs(digits: string): number {
  const millis = Number(digits.slice(0, 3).padEnd(3, "0"));
  if (digits.length <= 3) return millis;
  return millis + Number(`0.${digits.slice(3, USED_DIGITS_MAX)}0`);
}
