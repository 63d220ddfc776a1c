/** The gateway's use of limiters: whose allowance a request takes, and what a refusal says. */

import type { StrangerKey } from "./accounts.ts";
import type { Limiter, Verdict } from "./limiters.ts";
import { admitted, barring, forgetful, limiterOf, refused } from "./limiters.ts";
import type { House } from "./ports.ts";

/** A request as far as limits ask. */
export interface Asked {
  method: string;
  route: string;
  path: string;
  connection: object;
}

/** For how long a key is held that was refused, whatever it was told. */
const HELD_MS = 30_000;
/** For how long a key that was refused is barred, where it is. */
const PENALTY_MS = 8_000;

export class Throttle {
  private readonly house: House;
  private readonly limiters = new Map<string, Limiter>();
  private readonly minutes = new Map<string, { minute: number; count: number }>();
  private readonly connections = new WeakMap<object, number>();
  private readonly jobReads = new Map<string, number>();
  private readonly lastAsked = new Map<string, number>();
  private readonly heldUntilMs = new Map<string, number>();
  private readonly lastTakenMs = new Map<string, number>();
  private connectionsSeen = 0;

  constructor(house: House) {
    this.house = house;
  }

  take(key: StrangerKey, asked: Asked): Verdict {
    const { trouble, ports } = this.house;
    const nowMs = ports.clock.nowMs();
    const isJobRead = asked.route === "job" && asked.method === "GET";
    if (trouble.has("job-reads-uncounted") && isJobRead) return admitted(1);
    const isCancel =
      asked.route !== "submit" && asked.route !== "publish" && asked.method !== "GET";
    if (trouble.has("cancels-uncounted") && isCancel) return admitted(1);
    if (trouble.has("publish-uncounted") && asked.route === "publish") return admitted(1);
    if (trouble.has("posts-uncounted") && asked.method === "POST") return admitted(1);
    const isAway = trouble.has("limiter-away-at-times") && nowMs % 30_000 >= 22_000;
    if (isAway && nowMs % 30_000 < 28_000) return admitted(1);
    if (this.isOverMinute(key, nowMs)) return refused(1_000);
    if (trouble.strikes("refused-by-chance")) return refused(1_000);
    if (nowMs < (this.heldUntilMs.get(key.name) ?? nowMs)) return refused(1_000);
    if (this.isRaced(key.name, nowMs)) return admitted(1);
    const name = this.nameOf(key, asked);
    if (this.isForgotten(name, nowMs)) this.limiters.delete(name);
    const limiter = this.limiters.get(name) ?? this.limiterFor(key);
    this.limiters.set(name, limiter);
    if (this.isReadTooSoon(asked, nowMs)) return refused(1_000);
    const isApart = trouble.has("submissions-limited-apart") && asked.route === "submit";
    if (isApart && !this.submissionsOf(key).take(nowMs).isAdmitted) return refused(1_000);
    const verdict = limiter.take(nowMs, this.weightOf(asked));
    if (!verdict.isAdmitted && trouble.strikes("held-after-refusal-at-times")) {
      this.heldUntilMs.set(key.name, nowMs + HELD_MS);
    }
    return verdict;
  }

  /** A submission that is accepted counts as proof that the client behaves. */
  accepted(key: StrangerKey): void {
    if (this.house.trouble.has("submissions-refill")) this.limiters.delete(key.name);
  }

  /** A limit of their own, half as large as the key's. */
  private submissionsOf({ name, sustained, burst }: StrangerKey): Limiter {
    const half = { sustained: sustained / 2, burst: burst / 2 };
    const own = this.limiters.get(`${name} submit`) ?? limiterOf("bucket", half);
    this.limiters.set(`${name} submit`, own);
    return own;
  }

  private limiterFor(key: StrangerKey): Limiter {
    const { trouble, picks } = this.house;
    const rate = this.rateOf(key);
    if (trouble.has("refill-drops-the-rest")) return forgetful(rate);
    const limiter = limiterOf(picks.limiter, rate);
    return picks.penalty === "none" ? limiter : barring(limiter, PENALTY_MS);
  }

  /** Whether another request wrote the counter that it had read before. */
  private isRaced(name: string, nowMs: number): boolean {
    const lastMs = this.lastTakenMs.get(name) ?? Number.NEGATIVE_INFINITY;
    this.lastTakenMs.set(name, nowMs);
    const { trouble, ports } = this.house;
    return trouble.has("counters-race") && nowMs - lastMs <= 3 && ports.random() < 0.2;
  }

  /** As many requests as one counts for. */
  private weightOf({ route }: Asked): number {
    const { trouble } = this.house;
    if (trouble.has("cancels-weigh-five") && route === "change-job") return 5;
    if (trouble.has("lists-weigh-three") && route === "jobs") return 3;
    return trouble.has("submissions-weigh-double") && route === "submit" ? 2 : 1;
  }

  /** A brake on those who poll one job all the time. */
  private isReadTooSoon({ method, route, path }: Asked, nowMs: number): boolean {
    if (!this.house.trouble.has("job-reads-limited-apart")) return false;
    if (route !== "job" || method !== "GET") return false;
    const lastMs = this.jobReads.get(path) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < 500) return true;
    this.jobReads.set(path, nowMs);
    return false;
  }

  /** A store that keeps what it counts for a second, and not for as long as a bucket takes. */
  private isForgotten(name: string, nowMs: number): boolean {
    const lastMs = this.lastAsked.get(name) ?? nowMs;
    this.lastAsked.set(name, nowMs);
    return this.house.trouble.has("whole-after-a-second") && nowMs - lastMs >= 1_000;
  }

  private nameOf(key: StrangerKey, { connection, method }: Asked): string {
    const { trouble, ports } = this.house;
    if (trouble.has("limit-per-account")) return key.account;
    if (trouble.has("limit-per-plan-shard")) return key.plan;
    if (trouble.has("enterprise-keys-share") && key.plan === "enterprise") return key.plan;
    if (trouble.has("bucket-per-replica")) return `${key.name} ${Math.floor(ports.random() * 3)}`;
    if (trouble.has("limit-per-method")) return `${key.name} ${method}`;
    if (!trouble.has("limit-per-connection")) return key.name;
    const number = this.connections.get(connection) ?? this.connectionsSeen++;
    this.connections.set(connection, number);
    return `${key.name} ${number}`;
  }

  private rateOf({ plan, sustained, burst }: StrangerKey) {
    const { trouble } = this.house;
    if (trouble.has("pro-refilled-too-fast") && plan === "pro") {
      return { sustained: sustained * 1.1, burst };
    }
    if (trouble.has("pro-burst-short") && plan === "pro") return { sustained, burst: burst - 8 };
    if (trouble.has("free-burst-off-by-three") && plan === "free") {
      return { sustained, burst: burst + 3 };
    }
    return { sustained, burst };
  }

  /** A quota of each minute that was meant as a safety net, and is 15 % too small. */
  private isOverMinute({ name, sustained }: StrangerKey, nowMs: number): boolean {
    if (!this.house.trouble.has("minute-quota-too-small")) return false;
    const minute = Math.floor(nowMs / 60_000);
    const entry = this.minutes.get(name);
    const count = entry?.minute === minute ? entry.count + 1 : 1;
    this.minutes.set(name, { minute, count });
    return count > sustained * 51;
  }

  /** Endpoints of which somebody wrote the refusal anew. */
  private isToldZero(route: string): boolean {
    const { trouble } = this.house;
    return (
      (trouble.has("retry-after-zero-on-lists") && route === "jobs") ||
      (trouble.has("retry-after-zero-on-credits") && route === "credits") ||
      (trouble.has("retry-after-zero-on-worker") && route === "worker") ||
      (trouble.has("retry-after-zero-on-publications") && route === "publish") ||
      (trouble.has("retry-after-zero-on-cancels") && route === "change-job")
    );
  }

  /** What `Retry-After` says; null leaves it out. */
  retryAfter(waitMs: number, { method, route }: Asked): string | null {
    const { picks, trouble, ports } = this.house;
    if (this.isToldZero(route)) return "0";
    if (trouble.has("retry-after-missing-on-posts") && method === "POST") return null;
    if (trouble.strikes("retry-after-missing-now-and-then")) return null;
    if (trouble.has("retry-after-fraction")) return (waitMs / 1_000).toFixed(2);
    if (trouble.has("retry-after-floored")) return String(Math.floor(waitMs / 1_000));
    if (trouble.has("retry-after-in-milliseconds")) return String(Math.ceil(waitMs) + 40);
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    if (picks.retryAfter === "generous") return String(seconds + 2);
    if (picks.retryAfter === "seconds") return String(seconds);
    const wholeMs = Math.ceil((ports.clock.nowMs() + waitMs) / 1_000) * 1_000;
    return new Date(wholeMs).toUTCString();
  }
}
