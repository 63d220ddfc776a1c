/** What a key may do: the kinds of limiter that §8 allows. */

import type { StrangerKey } from "./accounts.ts";
import type { House } from "./ports.ts";

export interface Verdict {
  isAdmitted: boolean;
  /** Until a request would be admitted. */
  waitMs: number;
  left: number;
}

export interface Limiter {
  /** `weight`: as many requests as this one counts for; left out: 1. */
  take(nowMs: number, weight?: number): Verdict;
}

type Rate = Pick<StrangerKey, "sustained" | "burst">;

export const admitted = (left: number): Verdict => ({ isAdmitted: true, waitMs: 0, left });
export const refused = (waitMs: number): Verdict => ({ isAdmitted: false, waitMs, left: 0 });

export function limiterOf(kind: House["picks"]["limiter"], rate: Rate): Limiter {
  switch (kind) {
    case "bucket":
      return bucket(rate, 0);
    case "ticking-bucket":
      return bucket(rate, 1_000 / rate.sustained);
    case "gcra":
      return gcra(rate);
    case "fixed-window":
      return fixedWindow(rate, false);
    case "clock-window":
      return fixedWindow(rate, true);
    case "sliding-log":
      return slidingLog(rate);
    case "sliding-counter":
      return slidingCounter(rate);
  }
}

/** Bars a key that it has refused for so long at the least, and says so. */
export function barring(inner: Limiter, barMs: number): Limiter {
  let untilMs = 0;
  return {
    take(nowMs, weight = 1) {
      if (nowMs < untilMs) return refused(untilMs - nowMs);
      const verdict = inner.take(nowMs, weight);
      if (verdict.isAdmitted) return verdict;
      untilMs = nowMs + Math.max(verdict.waitMs, barMs);
      return refused(untilMs - nowMs);
    },
  };
}

/** Adds whole tokens at each admission, and forgets what was left of one. */
export function forgetful({ sustained, burst }: Rate): Limiter {
  let tokens = burst;
  let atMs: number | null = null;
  return {
    take(nowMs, weight = 1) {
      const added = Math.floor(((nowMs - (atMs ?? nowMs)) * sustained) / 1_000 + 1e-9);
      const held = Math.min(burst, tokens + added);
      if (held < weight) return refused(1_000 / sustained);
      tokens = held - weight;
      atMs = nowMs;
      return admitted(tokens);
    },
  };
}

/** Refilled steadily, or once a tick. */
function bucket({ sustained, burst }: Rate, tickMs: number): Limiter {
  let tokens = burst;
  let atMs: number | null = null;
  return {
    take(nowMs, weight = 1) {
      const tickedMs = tickMs === 0 ? nowMs : Math.floor(nowMs / tickMs) * tickMs;
      tokens = Math.min(burst, tokens + ((tickedMs - (atMs ?? tickedMs)) * sustained) / 1_000);
      atMs = tickedMs;
      if (tokens > weight - 1e-9) {
        tokens -= weight;
        return admitted(Math.floor(tokens));
      }
      return refused(((weight - tokens) * 1_000) / sustained + tickMs);
    },
  };
}

function gcra({ sustained, burst }: Rate): Limiter {
  const stepMs = 1_000 / sustained;
  let theoreticalMs = 0;
  return {
    take(nowMs, weight = 1) {
      const startMs = Math.max(theoreticalMs, nowMs);
      const aheadMs = startMs - nowMs;
      const roomMs = stepMs * (burst - weight) - aheadMs;
      if (roomMs < -1e-6) return refused(-roomMs);
      theoreticalMs = startMs + stepMs * weight;
      return admitted(Math.floor(roomMs / stepMs));
    },
  };
}

function fixedWindow({ sustained, burst }: Rate, isByClock: boolean): Limiter {
  const windowMs = (burst / sustained) * 1_000;
  let startMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return {
    take(nowMs, weight = 1) {
      if (nowMs - startMs >= windowMs) {
        startMs = isByClock ? Math.floor(nowMs / windowMs) * windowMs : nowMs;
        count = 0;
      }
      if (count + weight > burst) return refused(startMs + windowMs - nowMs);
      count += weight;
      return admitted(burst - count);
    },
  };
}

function slidingLog({ sustained, burst }: Rate): Limiter {
  const windowMs = (burst / sustained) * 1_000;
  let log: number[] = [];
  return {
    take(nowMs, weight = 1) {
      log = log.filter((atMs) => nowMs - atMs < windowMs);
      const [oldest = nowMs] = log;
      if (log.length + weight > burst) return refused(oldest + windowMs - nowMs);
      log.push(...Array.from({ length: weight }, () => nowMs));
      return admitted(burst - log.length);
    },
  };
}

/** The window before counts by the share of it that still lies within the last window. */
function slidingCounter({ sustained, burst }: Rate): Limiter {
  const windowMs = (burst / sustained) * 1_000;
  let index = 0;
  let before = 0;
  let now = 0;
  const used = (atMs: number) => {
    const passed = Math.floor(atMs / windowMs) - index;
    const share = 1 - (atMs % windowMs) / windowMs;
    if (passed === 0) return before * share + now;
    return passed === 1 ? now * share : 0;
  };
  return {
    take(nowMs, weight = 1) {
      if (used(nowMs) + weight > burst + 1e-9) {
        let waitMs = 5;
        while (used(nowMs + waitMs) + weight > burst) waitMs += 5;
        return refused(waitMs);
      }
      const current = Math.floor(nowMs / windowMs);
      if (current !== index) {
        before = current === index + 1 ? now : 0;
        now = 0;
        index = current;
      }
      now += weight;
      return admitted(Math.floor(burst - used(nowMs)));
    },
  };
}
