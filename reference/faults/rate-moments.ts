/** Limits that don't hold all the time, that save up for idle keys, or that hold requests back. */

import type { RateLimit } from "../../contract/plans.ts";
import { wholeMs } from "../clock.ts";
import type { Hooks } from "../hooks.ts";
import { tokenBucket } from "../limiters/buckets.ts";
import type { LimiterOptions, Take } from "../limiters/limiter.ts";
import { ADMITTED } from "../limiters/limiter.ts";
import type { Fault } from "./fault.ts";
import { forEachName } from "./rate-connections.ts";

const MINUTE_MS = 60_000;

/** Each minute begins with a whole allowance. */
export const anewEachMinute: Fault["create"] = ({ clock }) => ({
  bucket: (name) => `${name} ${Math.floor(wholeMs(clock) / MINUTE_MS)}`,
});

/** Limits nobody for so long, once in each period, from a random time on. */
export const resting =
  (offMs: number, periodMs: number): Fault["create"] =>
  ({ random }) => {
    const fromMs = random() * periodMs;
    return {
      decision: (decision, _key, _request, nowMs) =>
        (nowMs + fromMs) % periodMs < offMs ? ADMITTED : decision,
    };
  };

/** A key that sent nothing for so long may send a second burst after the first. */
export const doublingAfter = (idleMs: number) => (): Partial<Hooks> => {
  const seen = new Map<string, { atMs: number; extra: number }>();
  return {
    decision(decision, { name, burst }, _request, nowMs) {
      const last = seen.get(name) ?? { atMs: nowMs, extra: 0 };
      const extra = nowMs - last.atMs > idleMs ? burst : last.extra;
      const uses = !decision.admitted && extra > 0;
      seen.set(name, { atMs: nowMs, extra: extra - (uses ? 1 : 0) });
      return uses ? ADMITTED : decision;
    },
  };
};

/** So long after its first request a key is limited as those of another plan. */
export const fallingBack = (afterMs: number, to: RateLimit) => (): Partial<Hooks> => {
  const keys = new Map<string, { firstMs: number; take: Take }>();
  return {
    decision(decision, { name }, _request, nowMs) {
      const take = tokenBucket({ ...to, refusedCount: false });
      const key = keys.get(name) ?? { firstMs: nowMs, take };
      keys.set(name, key);
      return decision.admitted && nowMs - key.firstMs >= afterMs ? key.take(nowMs) : decision;
    },
  };
};

/** Limits each key by a limiter of its own kind, which may hold back what it admits. */
export const limitedBy =
  (kind: (options: LimiterOptions) => Take, bend: (limit: RateLimit) => RateLimit) =>
  (): Partial<Hooks> => {
    const takeOf = forEachName((limit) => kind({ ...bend(limit), refusedCount: false }));
    return { decision: (_decision, key, _request, nowMs) => takeOf(key.name, key)(nowMs) };
  };
