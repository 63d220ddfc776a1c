/**
 * Money: entries of each account, in millionths of a credit. A submission may put a hold on what
 * it will cost; the end of the job settles it.
 */

import type { StrangerKey } from "./accounts.ts";
import type { Job } from "./journal.ts";
import type { House } from "./ports.ts";
import { inCredits } from "./prices.ts";

interface Entry {
  atMs: number;
  job: string;
  micros: number;
}

interface Account {
  openedWith: number;
  entries: Entry[];
  charged: number;
  holds: Map<string, number>;
  shown: { atMs: number; funds: Funds } | null;
}

/** What is left to spend, and what is held for jobs that have not ended; in credits. */
interface Funds {
  left: number;
  held: number;
}

/** A cached balance is so old at the most. */
const CACHE_MS = { seconds: 3_000, longer: 8_000 };
const OPENED_WITH = 5_000_000_000;

export class Ledger {
  private readonly house: House;
  private readonly accounts = new Map<string, Account>();

  constructor(house: House, keys: readonly StrangerKey[]) {
    this.house = house;
    for (const { account, state } of keys) {
      if (this.accounts.has(account)) continue;
      const openedWith = state === "exhausted" ? 0 : OPENED_WITH;
      const empty = { entries: [], charged: 0, holds: new Map(), shown: null };
      this.accounts.set(account, { openedWith, ...empty });
    }
  }

  canPay(name: string, micros: number): boolean {
    const account = this.of(name);
    return account.openedWith - account.charged - held(account) >= micros;
  }

  hold(job: Job, micros: number): void {
    if (this.house.picks.billing !== "hold") return;
    this.of(job.account).holds.set(job.id, micros);
  }

  release(job: Job): void {
    this.of(job.account).holds.delete(job.id);
  }

  charge(name: string, job: string, micros: number): void {
    const account = this.of(name);
    const last = account.entries.at(-1);
    const atMs = this.house.now();
    const { trouble } = this.house;
    // Two settlements that read the same balance: the later write wins.
    const isLost = trouble.has("settlement-lost-update") && atMs - (last?.atMs ?? 0) < 12;
    account.entries.push({ atMs, job, micros });
    if (isLost) return;
    const times = trouble.strikes("settlement-consumed-twice") ? 2 : 1;
    const due = times * micros;
    account.charged += trouble.has("ledger-rounds-to-halves") ? roundTo(due, 500_000) : due;
  }

  /** As the account endpoint says it. */
  funds(name: string): Funds {
    const account = this.of(name);
    const atMs = this.house.now();
    const left = account.openedWith - account.charged - held(account);
    const funds = { left: inCredits(left), held: inCredits(held(account)) };
    const { balanceView, balanceAge } = this.house.picks;
    if (balanceView === "live") return funds;
    if (account.shown === null || atMs - account.shown.atMs >= CACHE_MS[balanceAge]) {
      account.shown = { atMs, funds };
    }
    return account.shown.funds;
  }

  history(name: string): readonly Entry[] {
    return this.of(name).entries;
  }

  private of(name: string): Account {
    const account = this.accounts.get(name);
    if (account === undefined) throw new Error(`no account "${name}"`);
    return account;
  }
}

function held({ holds }: Account): number {
  let sum = 0;
  for (const micros of holds.values()) sum += micros;
  return sum;
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}
