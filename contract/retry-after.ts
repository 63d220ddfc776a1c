/** Reads the Retry-After header. RFC 9110 §10.2.3, §5.6.7. */

import type { Exchange } from "./exchange.ts";

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
  const atMs = parseHttpDate(trimmed);
  if (atMs === null) return { form: "invalid", text };
  const answeredMs = parseHttpDate(exchange.headers.date ?? "") ?? exchange.receivedAtMs;
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

/** Milliseconds since the epoch of an HTTP-date in any of its three forms; null for other text. */
export function parseHttpDate(text: string): number | null {
  const fixdate = IMF_FIXDATE.exec(text);
  if (fixdate) return utc(fixdate[3], fixdate[2], fixdate[1], fixdate.slice(4, 7));
  const rfc850 = RFC_850_DAY.test(text) ? RFC_850.exec(text) : null;
  if (rfc850) return utc(`20${rfc850[3]}`, rfc850[2], rfc850[1], rfc850.slice(4, 7));
  const asctime = ASCTIME.exec(text);
  if (asctime) return utc(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  return null;
}

function utc(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly string[],
): number | null {
  const monthIndex = MONTHS.indexOf(month ?? "");
  const [hours, minutes, seconds] = time.map(Number);
  if (monthIndex < 0 || hours === undefined || minutes === undefined || seconds === undefined) {
    return null;
  }
  if (hours > 23 || minutes > 59 || seconds > 60 || Number(day) < 1 || Number(day) > 31)
    return null;
  return Date.UTC(Number(year), monthIndex, Number(day), hours, minutes, seconds);
}
