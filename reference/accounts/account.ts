/** An account with its balance: prices are held or taken, and each charge leaves an entry. */

import type { ReferenceKey } from "./keys.ts";

/** Ours: one credit is one cent, so that both variants bill the same amounts. */
export const MICRO_USD_PER_CREDIT = 10_000;
/** Ours: digits to which an amount in tokens is rounded; what is worth ten jobs has cents. */
export const TOKEN_DIGITS = { "3.7": 0, "1.33": 0, "0.075": 2, "10": 0 } as const;
/** Ours: credits for ten million runs, so that no load test runs dry. */
const GENEROUS_CREDITS = 10_000_000;
/** Ours: the history shows the last charges, it is not an archive. */
const USAGE_ENTRIES_MAX = 100;

export interface UsageEntry {
  job: string;
  worker: string;
  microUsd: number;
  atMs: number;
}

export class Account {
  readonly id: string;
  readonly createdAtMs: number;
  private readonly openedMicroUsd: number;
  /** Less what was paid in: sums of so small numbers leave nothing of binary fractions. */
  private spentMicroUsd = 0;
  private heldMicroUsd = 0;
  usedMicroUsd = 0;
  chargedJobs = 0;
  private readonly entries: UsageEntry[] = [];

  constructor(id: string, credits: number, createdAtMs: number) {
    this.id = id;
    this.openedMicroUsd = credits * MICRO_USD_PER_CREDIT;
    this.createdAtMs = createdAtMs;
  }

  get availableMicroUsd(): number {
    return this.openedMicroUsd - this.goneMicroUsd;
  }

  /** What has gone since it was opened: the debt of who pays afterwards. */
  get goneMicroUsd(): number {
    return this.spentMicroUsd + this.heldMicroUsd;
  }

  /** What is left of so much that is used up before all else. */
  leftOfMicroUsd(first: number): number {
    return Math.min(this.availableMicroUsd, Math.max(0, first - this.goneMicroUsd));
  }

  get heldCredits(): number {
    return toCredits(this.heldMicroUsd);
  }

  /** Newest first. */
  get usage(): readonly UsageEntry[] {
    return this.entries.toReversed();
  }

  hold(microUsd: number): void {
    this.heldMicroUsd += microUsd;
  }

  release(microUsd: number): void {
    this.heldMicroUsd -= microUsd;
  }

  pay(credits: number): void {
    this.spentMicroUsd -= credits * MICRO_USD_PER_CREDIT;
  }

  charge(entry: UsageEntry): void {
    if (entry.microUsd === 0) return;
    this.spentMicroUsd += entry.microUsd;
    this.usedMicroUsd += entry.microUsd;
    this.chargedJobs += 1;
    this.entries.push(entry);
    if (this.entries.length > USAGE_ENTRIES_MAX) this.entries.shift();
  }
}

export function toCredits(microUsd: number): number {
  return microUsd / MICRO_USD_PER_CREDIT;
}

export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

/** The accounts behind the keys; only those of exhausted keys have nothing left. */
export function createAccounts(
  keys: readonly ReferenceKey[],
  nowMs: number,
): ReadonlyMap<string, Account> {
  const accounts = keys.map(({ account, state }) => {
    const credits = state === "exhausted" ? 0 : GENEROUS_CREDITS;
    return [account, new Account(account, credits, nowMs)] as const;
  });
  return new Map(accounts);
}
