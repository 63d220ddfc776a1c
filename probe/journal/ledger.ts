/**
 * The journal's accounts: what runs have cost. Sums are kept in memory, as every run and every
 * scrape asks for them, and read from the file once a process and span.
 */

import type { DatabaseSync } from "node:sqlite";

import type { Price, Spent } from "../../contract/limits/budget.ts";
import { dearerOf, differenceOf, NOTHING_SPENT, sumOf } from "../../contract/limits/budget.ts";
import type { Span, Sum, Sums } from "./budget.ts";
import { SPANS, startOf } from "./budget.ts";
import type { Write } from "./group-commit.ts";
import { prepared } from "./prepared.ts";

interface Charge {
  runId: string;
  atMs: number;
  workerId: string;
  spent: Spent;
}

export class Ledger {
  readonly #database: DatabaseSync;
  readonly #sums = new Map<Span, Sum>();
  /** Charges that are promised and not on disk yet: two runs must not spend the same rest. */
  readonly #pending = new Map<string, Charge>();
  readonly #prices = new Map<string, Price>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  spent(span: Span, nowMs: number): Spent {
    const { startMs, spent: onDisk } = this.#onDisk(span, nowMs);
    const pending = [...this.#pending.values()].filter(({ atMs }) => atMs >= startMs);
    return pending.reduce((total, { spent }) => sumOf(total, spent), onDisk);
  }

  /** Without what is promised and not on disk yet. */
  onDisk(nowMs: number): Sums {
    return { day: this.#onDisk("day", nowMs), month: this.#onDisk("month", nowMs) };
  }

  #onDisk(span: Span, nowMs: number): Sum {
    const startMs = startOf(span, nowMs);
    const known = this.#sums.get(span);
    return known?.startMs === startMs ? known : this.#read(span, startMs);
  }

  #read(span: Span, startMs: number): Sum {
    const row = prepared(
      this.#database,
      `SELECT total(jobs) AS jobs, total(credits) AS credits, total(usd) AS usd
         FROM charges WHERE at_ms >= ?`,
    ).get(startMs);
    const sum = { startMs, spent: spentOf(row) };
    this.#sums.set(span, sum);
    return sum;
  }

  /** The dearest of the worker's jobs so far; null before one had a cost: a timeout is free. */
  price(workerId: string): Price {
    const known = this.#prices.get(workerId);
    if (known !== undefined) return known;
    const row = prepared(
      this.#database,
      `SELECT max(credits) AS credits, max(usd) AS usd FROM charges
         WHERE worker_id = ? AND known = 1`,
    ).get(workerId);
    const amount = (value: unknown) => (typeof value === "number" && value > 0 ? value : null);
    const price = { credits: amount(row?.credits), usd: amount(row?.usd) };
    this.#prices.set(workerId, price);
    return price;
  }

  /** Jobs of the worker since then whose cost nobody has stated yet. */
  unpriced(workerId: string, sinceMs: number): number {
    const row = prepared(
      this.#database,
      `SELECT count(*) AS jobs FROM charges
         WHERE worker_id = ? AND at_ms >= ? AND known = 0 AND jobs > 0`,
    ).get(workerId, sinceMs);
    const pending = [...this.#pending.values()].filter((each) => each.workerId === workerId);
    return Number(row?.jobs ?? 0) + pending.length;
  }

  /** A run's estimate, counted from now on whether it is on disk yet or not. */
  reserve(charge: Charge): Pick<Write, "apply" | "committed"> & { withdraw: () => void } {
    const { runId, atMs, workerId, spent } = charge;
    this.#pending.set(runId, charge);
    return {
      apply: (database) =>
        void prepared(database, "INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, 0, 0)").run(
          runId,
          atMs,
          workerId,
          spent.jobs,
          spent.credits,
          spent.usd,
        ),
      committed: () => {
        this.#pending.delete(runId);
        this.#add(atMs, spent);
      },
      withdraw: () => void this.#pending.delete(runId),
    };
  }

  /** What the run cost by the service's own word; null: nobody knows, the estimate stays. */
  charge(runId: string, cost: Spent | null): Pick<Write, "apply" | "committed"> {
    if (cost === null) return this.#change(runId, (spent) => spent, false);
    return this.#change(runId, () => cost, true);
  }

  /** The service's own estimate; it never makes a reservation smaller. */
  estimate(runId: string, credits: number): Pick<Write, "apply" | "committed"> {
    const larger = (spent: Spent) => ({ ...spent, credits: Math.max(credits, spent.credits) });
    return this.#change(runId, larger, null);
  }

  /** `isKnown`: null where the run is not settled by it. */
  #change(
    runId: string,
    change: (spent: Spent) => Spent,
    isKnown: boolean | null,
  ): Pick<Write, "apply" | "committed"> {
    let before: Charge | null = null;
    let after = NOTHING_SPENT;
    return {
      apply: (database) => {
        before = chargeOf(database, runId);
        if (before === null) return;
        after = change(before.spent);
        const [final, known] = [isKnown === null ? 0 : 1, isKnown === true ? 1 : 0];
        prepared(
          database,
          `UPDATE charges SET jobs = ?, credits = ?, usd = ?, final = max(final, ?), known = ?
             WHERE run_id = ?`,
        ).run(after.jobs, after.credits, after.usd, final, known, runId);
        if (isKnown === true) this.#reprice(database, before.workerId, after);
      },
      committed: () => {
        if (before === null) return;
        this.#add(before.atMs, differenceOf(after, before.spent));
        if (isKnown === true) this.#raise(before.workerId, after);
      },
    };
  }

  /** Runs whose cost never came to be known are charged what the dearest known one cost. */
  #reprice(database: DatabaseSync, workerId: string, { credits, usd }: Spent): void {
    const price = this.price(workerId);
    if (credits <= (price.credits ?? 0) && usd <= (price.usd ?? 0)) return;
    prepared(
      database,
      `UPDATE charges SET credits = max(credits, ?), usd = max(usd, ?)
         WHERE worker_id = ? AND known = 0 AND jobs > 0`,
    ).run(credits, usd, workerId);
  }

  #raise(workerId: string, { credits, usd }: Spent): void {
    const price = this.price(workerId);
    if (credits <= (price.credits ?? 0) && usd <= (price.usd ?? 0)) return;
    // What was free by rule tells no price.
    this.#prices.set(workerId, dearerOf(price, { credits: credits || null, usd: usd || null }));
    // Others were charged anew with it.
    this.#sums.clear();
  }

  #add(atMs: number, spent: Spent): void {
    for (const span of SPANS) {
      const sum = this.#sums.get(span);
      if (sum === undefined || atMs < sum.startMs) continue;
      this.#sums.set(span, { ...sum, spent: sumOf(sum.spent, spent) });
    }
  }
}

function chargeOf(database: DatabaseSync, runId: string): Charge | null {
  const row = prepared(database, "SELECT * FROM charges WHERE run_id = ?").get(runId);
  if (row === undefined) return null;
  const workerId = String(row.worker_id);
  return { runId, atMs: Number(row.at_ms), workerId, spent: spentOf(row) };
}

export function spentOf(row: Record<string, unknown> | undefined): Spent {
  if (row === undefined) return NOTHING_SPENT;
  const amount = (value: unknown) => (typeof value === "number" ? value : 0);
  return { jobs: amount(row.jobs), credits: amount(row.credits), usd: amount(row.usd) };
}
