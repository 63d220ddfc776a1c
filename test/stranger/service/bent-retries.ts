/** What faults make of redeliveries: when they come, whether at all, and with which body. */

import type { Job } from "./journal.ts";
import type { House } from "./ports.ts";

/** Of an attempt that has just ended. */
interface Tried {
  job: Job;
  url: string;
  number: number;
  status: number;
  cause: string;
  /** Until the next attempt; null when this was the last. */
  waitMs: number | null;
}

/** Waits counted from the first attempt, which are taken for waits between two. */
const CUMULATIVE_MS = [5_000, 35_000, 335_000];
/** Most redeliveries that wait at once, where they are bounded. */
const WAITING_MAX = 10;
const ATTEMPTS_MAX = 4;

export class BentRetries {
  private readonly house: House;
  private readonly firstFailed = new Map<string, string>();
  private readonly attemptsAt = new Map<string, number>();
  private readonly takenAtMs = new Map<string, number>();
  private waiting = 0;

  constructor(house: House) {
    this.house = house;
  }

  /** Until the next attempt; null where there is to be none. */
  waitMs({ job, url, number, status, cause, waitMs }: Tried): number | null {
    const { trouble, now } = this.house;
    const attempts = (this.attemptsAt.get(url) ?? 0) + 1;
    this.attemptsAt.set(url, attempts);
    if (status === 200) this.takenAtMs.set(addressIn(url), now());
    if (waitMs === null) return null;
    const first = this.firstFailed.get(job.account) ?? url;
    this.firstFailed.set(job.account, first);
    if (trouble.has("retries-of-first-address-only") && first !== url) return null;
    if (trouble.has("attempts-counted-by-address") && attempts >= ATTEMPTS_MAX) return null;
    if (trouble.strikesJob("last-retry-missing-for-some", job) && number === 3) return null;
    if (trouble.has("retries-bounded") && this.waiting >= WAITING_MAX) return null;
    if (trouble.has("resets-retried-by-client") && cause === "broken-off" && number === 1)
      return 50;
    const isRefused = trouble.has("refused-waits-a-minute") && cause === "refused";
    if (isRefused && number === 1) return 60_000;
    return trouble.has("waits-of-the-whole") ? (CUMULATIVE_MS[number - 1] ?? null) : waitMs;
  }

  /** Calls when the time is over, unless the message is forgotten meanwhile. */
  after(ms: number, url: string, deliver: () => void): void {
    const { ports, trouble, now } = this.house;
    const sinceMs = now();
    this.waiting += 1;
    ports.clock.after(ms, () => {
      this.waiting -= 1;
      const takenAtMs = this.takenAtMs.get(addressIn(url)) ?? 0;
      if (trouble.has("success-clears-the-host") && takenAtMs > sinceMs) return;
      deliver();
    });
  }

  bodyOf(text: string, number: number): string {
    const { trouble } = this.house;
    if (trouble.has("body-read-once") && number > 1) return "";
    if (trouble.has("webhook-as-form")) return `payload=${encodeURIComponent(text)}`;
    return text;
  }
}

function addressIn(url: string): string {
  return new URL(url).origin;
}
