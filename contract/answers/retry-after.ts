/** Reads the Retry-After header. RFC 9110 §10.2.3, §5.6.7. */

import type { Exchange } from "../requests/exchange.ts";

export type RetryAfter =
  | { form: "seconds"; waitMs: number }
  | { form: "date"; waitMs: number }
  | { form: "absent" }
  | { form: "invalid"; text: string };

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z][a-z]) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const RFC_850_DAY = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, /;
const RFC_850 = /, (\d\d)-([A-Z][a-z][a-z])-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/;
const ASCTIME =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z][a-z]) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;

/** What stands for any greater number of seconds. RFC 9111 §1.2.2. */
const SECONDS_MAX = 2 ** 31;

/**
 * The wait that an answer asks for, in ms from its receipt. A date is read against the answer's own
 * `Date` (so no clocks are compared), or against the time of receipt where it has none; a date
 * already past is a wait of 0.
 */
export function retryAfterOf(exchange: Exchange): RetryAfter {
  const text = exchange.headers["retry-after"];
  if (text === undefined || text === "") return { form: "absent" };
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) {
    return { form: "seconds", waitMs: Math.min(Number(trimmed), SECONDS_MAX) * 1_000 };
  }
  const { receivedAtMs, headers } = exchange;
  const atMs = parseHttpDate(trimmed, receivedAtMs);
  if (atMs === null) return { form: "invalid", text };
  const answeredMs = parseHttpDate(headers.date ?? "", receivedAtMs) ?? receivedAtMs;
  return { form: "date", waitMs: Math.max(0, atMs - answeredMs) };
}

type Refusal = Parameters<typeof retryAfterOf>[0];

/** The wait that an answer asks for, in ms; `otherwiseMs` where it tells none that can be read. */
export function toldWaitMs(refusal: Refusal, otherwiseMs: number): number {
  const told = retryAfterOf(refusal);
  return "waitMs" in told ? told.waitMs : otherwiseMs;
}

/** Ours: a wait where none is told. */
const UNTOLD_WAIT_MS = 1_000;

/** How long a client that was refused keeps away: as long as it is told, within bounds. */
export function refusedForMs(refusal: Refusal, mostMs: number): number {
  return Math.min(mostMs, toldWaitMs(refusal, UNTOLD_WAIT_MS));
}

/**
 * Milliseconds since the epoch of an HTTP-date in any of its three forms; null for other text. The
 * two digits of a year in the form of RFC 850 are read as it is read at `nowMs`.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const fixdate = IMF_FIXDATE.exec(text);
  if (fixdate) return utc(Number(fixdate[3]), fixdate[2], fixdate[1], fixdate.slice(4, 7));
  const rfc850 = RFC_850_DAY.test(text) ? RFC_850.exec(text) : null;
  if (rfc850) {
    const year = fullYear(Number(rfc850[3]), nowMs);
    return utc(year, rfc850[2], rfc850[1], rfc850.slice(4, 7));
  }
  const asctime = ASCTIME.exec(text);
  if (asctime) return utc(Number(asctime[6]), asctime[1], asctime[2], asctime.slice(3, 6));
  return null;
}

/** A year that appears to be more than 50 years ahead is the last one with its digits. */
const YEARS_AHEAD_MAX = 50;

function fullYear(digits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + YEARS_AHEAD_MAX ? year - 100 : year;
}

function utc(
  year: number,
  month: string | undefined,
  day: string | undefined,
  time: readonly string[],
): number | null {
  const monthIndex = MONTHS.indexOf(month ?? "");
  const [hours, minutes, seconds] = time.map(Number);
  if (monthIndex < 0 || hours === undefined || minutes === undefined || seconds === undefined) {
    return null;
  }
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, monthIndex, Number(day));
  // A day that the month does not have ends up in another month.
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return null;
  return date.setUTCHours(hours, minutes, seconds);
}
