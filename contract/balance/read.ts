/** Finds what may be a balance in account records, whose fields are open. Spec §2.10, §4.8. */

import { isObject } from "../decode/decoded.ts";
import type { Exchange } from "../requests/exchange.ts";
import { jsonBody } from "../requests/exchange.ts";
import { namesOtherUnit } from "./names.ts";

/** Numbers by the dotted path at which they stand. */
export type Amounts = Readonly<Record<string, number>>;

/** Ours: a balance stands near the top; bounds the search in a hostile body. */
const DEPTH_MAX = 4;
const BALANCE_NAME = /balance|credit/i;

/** Ours: texts beside an amount that tell its unit. */
const UNIT_FIELDS = ["currency", "currencyCode", "currency_code", "unit"];
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
  for (const [name, inner] of Object.entries(joined(value))) {
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

/** Where an amount is in whole units, and in billionths: zeros are left out. google.type.Money */
function joined(record: Record<string, unknown>): Record<string, unknown> {
  const { nanos, ...others } = record;
  const [first, ...rest] = Object.keys(others);
  const isZero = rest.length === 0 && /^currency_?code$/i.test(first ?? "");
  const billionths = amountOf(nanos) ?? (isZero ? 0 : null);
  if (billionths === null) return record;
  return { ...others, units: ((amountOf(others.units) ?? 0) * 1e9 + billionths) / 1e9 };
}

/** Ours: services that shun binary fractions write amounts as decimal text. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,12})?$/;

function amountOf(value: unknown): number | null {
  if (typeof value === "string" && DECIMAL.test(value)) return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
