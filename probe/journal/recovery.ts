/** Brings the journal's account up to the second record of what was spent. */

import type { DatabaseSync } from "node:sqlite";

import type { Spent } from "../../contract/limits/budget.ts";
import { UNITS } from "../../contract/limits/budget.ts";
import type { Sums } from "./budget.ts";
import { SPANS, startOf } from "./budget.ts";
import { Ledger } from "./ledger.ts";
import { prepared } from "./prepared.ts";
import type { SpentRecord } from "./spent-record.ts";
import { lostText } from "./spent-record.ts";

export interface Recovery {
  /** What was missing and is counted again; null when nothing was. */
  restored: string | null;
  /** Why nobody knows all that was spent; null when it is known. */
  unknown: string | null;
}

interface Found {
  record: Pick<SpentRecord, "found">;
  /** The journal was there before. */
  existed: boolean;
  nowMs: number;
}

/**
 * Charges what the record knows of the current day and month and the journal lost. Without a record
 * that can be read it is not known what was spent: a journal whose log was cut short looks whole.
 */
export function recoverSpending(database: DatabaseSync, found: Found): Recovery {
  const { record, existed, nowMs } = found;
  if (record.found === null) {
    return { restored: null, unknown: existed ? UNCONFIRMED : lostText(null) };
  }
  const unknown = record.found.unknown ?? laterThan(record.found.sums, nowMs);
  const restored = SPANS.flatMap((span) => {
    const { startMs, spent } = record.found?.sums[span] ?? { startMs: 0, spent: null };
    if (spent === null || startMs !== startOf(span, nowMs)) return [];
    const missing = beyond(spent, new Ledger(database).spent(span, nowMs));
    if (missing === null) return [];
    // Of the rest of a month nobody knows the day; it is none of today's.
    charge(database, missing, { span, nowMs, atMs: span === "day" ? nowMs : startMs });
    const amounts = UNITS.filter((unit) => missing[unit] > 0);
    return [`${amounts.map((unit) => `${missing[unit]} ${unit}`).join(", ")} of the ${span}`];
  });
  const told = `${restored.join(" and ")} were missing from the journal and count as spent`;
  return { restored: restored.length === 0 ? null : told, unknown };
}

/** A clock was ahead when the record was written: what was spent before is not in it any more. */
function laterThan(sums: Sums, nowMs: number): string | null {
  const isLater = SPANS.some((span) => sums[span].startMs > startOf(span, nowMs));
  return isLater ? "the clock was set back since the record of what was spent was written" : null;
}

const UNCONFIRMED =
  "the record of what was spent is gone or can't be read, so that nothing shows the journal whole";

/** What the first has more of; null for nothing. Ours: sums of fractions differ in last bits. */
function beyond(recorded: Spent, known: Spent): Spent | null {
  const more = (unit: keyof Spent) => Number(Math.max(0, recorded[unit] - known[unit]).toFixed(9));
  const missing = { jobs: more("jobs"), credits: more("credits"), usd: more("usd") };
  return UNITS.every((unit) => missing[unit] === 0) ? null : missing;
}

function charge(
  database: DatabaseSync,
  { jobs, credits, usd }: Spent,
  { span, nowMs, atMs }: { span: string; nowMs: number; atMs: number },
): void {
  // Two in one millisecond, as by a clock that was set back, add up.
  const sql = `INSERT INTO charges VALUES (?, ?, '', ?, ?, ?, 1, 1) ON CONFLICT (run_id) DO UPDATE
    SET jobs = jobs + excluded.jobs, credits = credits + excluded.credits,
      usd = usd + excluded.usd`;
  prepared(database, sql).run(`recovered-${span}-${nowMs}`, atMs, jobs, credits, usd);
}

/** What the journal itself remembers of it, until a person says that it may be forgotten. */
export function unknownSpending(database: DatabaseSync): string | null {
  const row = prepared(database, "SELECT why FROM unknown_spending LIMIT 1").get();
  return row === undefined ? null : String(row.why);
}

export function setUnknownSpending(database: DatabaseSync, why: string | null): void {
  prepared(database, "DELETE FROM unknown_spending").run();
  if (why !== null) prepared(database, "INSERT INTO unknown_spending VALUES (?)").run(why);
}
