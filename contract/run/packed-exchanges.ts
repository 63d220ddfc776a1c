/**
 * Exchanges take little room in a record: what many of them say alike is written once. A trial of a
 * key has thousands, most with the same answer. Of headers only those are kept that judges read or
 * reports quote.
 */

import { isObject } from "../decode/decoded.ts";
import type { Exchange } from "../requests/exchange.ts";
import { asUnread, headersNamed } from "../requests/exchange.ts";
import { QUOTED_HEADERS, REQUEST_ID_HEADERS } from "../verdict.ts";

/** Judges read the link to a next page, too. RFC 8288. */
const RECORDED_HEADERS = [...QUOTED_HEADERS, "link"];

/** Ours: a longer value is no identifier, and each answer has its own. */
const ID_CHARS_MAX = 100;

/** What no two exchanges have alike: times, the trace, and headers that name the request. */
type Own = "sentAtMs" | "receivedAtMs" | "transportMs" | "bodyMs" | "isReused" | "traceId";
type Said = Omit<Exchange, Own>;

/** An exchange in a packed value: which of the answers said it, and what is its own. */
interface PackedExchange {
  x: readonly [
    said: number,
    sentAtMs: number,
    receivedAtMs: number,
    transportMs: number | null | undefined,
    bodyMs: number | null | undefined,
    isReused: boolean | null | undefined,
    traceId?: string | null,
    ids?: Readonly<Record<string, string>>,
  ];
}

/** The value of a packed record is not of its kind until it is unpacked. */
interface Packed {
  said?: readonly Said[];
}

/** The record with all exchanges in its value packed. */
export function packed<Value extends { value: unknown }>(record: Value): Value & Packed {
  const said: Said[] = [];
  /** By body, as writing out all the rest takes less than writing out the whole; then by that. */
  const places = new Map<string, Map<string, number>>();
  const pack = (exchange: Exchange): PackedExchange => {
    const one = saidBy(exchange);
    const alike = places.get(one.body) ?? new Map<string, number>();
    places.set(one.body, alike);
    const rest = JSON.stringify({ ...one, body: "" });
    const place = alike.get(rest) ?? said.push(one) - 1;
    alike.set(rest, place);
    const { sentAtMs, receivedAtMs, transportMs, bodyMs, isReused, traceId } = exchange;
    const times = [place, sentAtMs, receivedAtMs, transportMs, bodyMs, isReused] as const;
    const ids = idsIn(exchange);
    if (ids !== null) return { x: [...times, traceId ?? null, ids] };
    return { x: traceId === undefined ? times : [...times, traceId] };
  };
  const value = mapObjects(record.value, isExchange, pack);
  return { ...record, value, said: bounded(said) };
}

/** Ours: a third of a line of evidence, of which times of a trial may take half. */
const BODIES_CHARS_MAX = 21 * 1024 * 1024;
/** A control is written in JSON as `\u0001`. */
const ESCAPED_CHARS_MAX = 6;

/** The longest bodies count as unread where all of them would not fit on a line of evidence. */
function bounded(said: readonly Said[]): readonly Said[] {
  const chars = said.reduce((sum, { body }) => sum + body.length, 0);
  if (chars * ESCAPED_CHARS_MAX <= BODIES_CHARS_MAX) return said;
  const sizes = said.map(({ body }, at) => ({ at, chars: JSON.stringify(body).length }));
  const unread = new Set<number>();
  let left = sizes.reduce((sum, each) => sum + each.chars, 0);
  for (const each of sizes.sort((a, b) => b.chars - a.chars)) {
    if (left <= BODIES_CHARS_MAX) break;
    unread.add(each.at);
    left -= each.chars;
  }
  return said.map((each, at) => (unread.has(at) ? asUnread(each) : each));
}

/** The record as it was. Throws where an exchange says what the record does not hold. */
export function unpacked<Value extends { value: unknown }>(record: Value & Packed): Value {
  const { said = [], ...rest } = record;
  const value = mapObjects(record.value, isPacked, ({ x }) => {
    const [place, sentAtMs, receivedAtMs, transportMs, bodyMs, isReused, traceId, ids] = x;
    const one = said[place];
    if (one === undefined) throw new Error(`an exchange says no. ${place} of ${said.length}`);
    return {
      ...one,
      ...(ids === undefined ? {} : { headers: { ...one.headers, ...ids } }),
      sentAtMs,
      receivedAtMs,
      ...(transportMs == null ? {} : { transportMs }),
      ...(bodyMs == null ? {} : { bodyMs }),
      ...(isReused == null ? {} : { isReused }),
      ...(traceId == null ? {} : { traceId }),
    };
  });
  return { ...rest, value } as unknown as Value;
}

function saidBy(exchange: Exchange): Said {
  const { method, route, path, key, requestBody, status, body, error } = exchange;
  const headers = headersNamed(exchange, RECORDED_HEADERS);
  return { method, route, path, key, requestBody, status, headers, body, error };
}

function idsIn(exchange: Exchange): Readonly<Record<string, string>> | null {
  const named = Object.entries(headersNamed(exchange, REQUEST_ID_HEADERS));
  const ids = named.filter(([, value]) => value.length <= ID_CHARS_MAX);
  return ids.length === 0 ? null : Object.fromEntries(ids);
}

function isExchange(value: object): value is Exchange {
  return "receivedAtMs" in value && "route" in value && "headers" in value;
}

function isPacked(value: object): value is PackedExchange {
  return "x" in value && Array.isArray(value.x);
}

/** A copy in which each object that is one of those sought is what `change` makes of it. */
function mapObjects<Sought extends object>(
  value: unknown,
  isSought: (value: object) => value is Sought,
  change: (found: Sought) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, isSought, change));
  if (!isObject(value)) return value;
  if (isSought(value)) return change(value);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = mapObjects(value[name], isSought, change);
  return copy;
}
