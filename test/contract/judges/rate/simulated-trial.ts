/** A key's trial against a limiter in virtual time: what the scenario would have seen. */

import type { Burst, KeyTrial, Return } from "../../../../contract/judges/rate/trial.ts";
import type { RateLimit } from "../../../../contract/plans.ts";
import { windowMs } from "../../../../contract/plans.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { Choices } from "../../../../reference/choices.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";

export interface Deployment {
  kind: Choices["limiter"];
  /** What the service does; what it promises is `promised`. */
  actual: RateLimit;
  promised: RateLimit;
  refusedCount?: boolean;
  refuseWith?: (waitMs: number) => { status: number; headers: Record<string, string> };
  seed?: number;
  /** By how much later than the first the last request of the overload reaches the service. */
  backlogMs?: number;
  /** A pause of the generator before the overload, in which the key earns what is then admitted. */
  pauseMs?: number;
  /** For how long the generator stands still in the middle of the overload. */
  stallMs?: number;
  /** By how much later than in time one in eight requests of the overload is sent. */
  skippedMs?: number;
  /** By how much longer than the fastest ones requests, and answers, are on their way. */
  jitterMs?: number;
  /** Share of the answers that get lost, and come once they were sent again. */
  lostShare?: number;
}

/** Plans and limiters that the tests try. */
export const FREE = { sustained: 10, burst: 20 };
export const PRO = { sustained: 50, burst: 100 };
export const KINDS = [
  "token-bucket",
  "gcra",
  "fixed-window",
  "aligned-window",
  "sliding-log",
  "sliding-counter",
  "fast-ticking-bucket",
  "cooldown",
] as const;

const LATENCY_MS = 2;
const SKIPPED_SHARE = 1 / 8;

export function exchangeAt(sentAtMs: number, status: number, headers = {}): Exchange {
  return {
    method: "GET",
    route: "me",
    path: "/v1/me",
    key: "free-a",
    requestBody: null,
    status,
    headers,
    body: "",
    error: status === 0 ? "reset" : null,
    sentAtMs,
    receivedAtMs: sentAtMs + LATENCY_MS,
  };
}

function honestRefusal(waitMs: number): { status: number; headers: Record<string, string> } {
  return { status: 429, headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) } };
}

const SENT_AGAIN_MS = 200;

/** Sends one request, which reaches the limiter so much later, and after those sent before it. */
function shooter(deployment: Deployment): (sentAtMs: number, lateMs: number) => Exchange {
  const limiter = createLimiter(deployment.kind, {
    ...deployment.actual,
    refusedCount: deployment.refusedCount ?? false,
  });
  const { refuseWith = honestRefusal, jitterMs = 0, lostShare = 0 } = deployment;
  const path = seededRandom(deployment.seed ?? 7);
  let takenMs = Number.NEGATIVE_INFINITY;
  return (sentAtMs, lateMs) => {
    const reachedMs = sentAtMs + lateMs + LATENCY_MS / 2 + jitterMs * path.next();
    takenMs = Math.max(takenMs, reachedMs);
    const decision = limiter.take(takenMs);
    const isLost = path.next() < lostShare;
    const backMs = LATENCY_MS / 2 + jitterMs * path.next() + (isLost ? SENT_AGAIN_MS : 0);
    const receivedAtMs = takenMs + backMs;
    if (decision.admitted) return { ...exchangeAt(sentAtMs, 200), receivedAtMs };
    const { status, headers } = refuseWith(decision.waitMs);
    return { ...exchangeAt(sentAtMs, status, headers), receivedAtMs };
  };
}

/** The protocol of the rate-limit scenario: bursts, overload, returns, a phase below the plan. */
export function simulateTrial(deployment: Deployment): KeyTrial {
  const { promised } = deployment;
  const random = seededRandom(deployment.seed ?? 7);
  let nowMs = 1_000_000 + random.next() * 10_000;
  const fireAt = shooter(deployment);
  const shoot = (lateMs = 0): Exchange => fireAt(nowMs, lateMs);
  const restMs = 2.3 * windowMs(promised);
  const fire = (count: number): Exchange[] => Array.from({ length: count }, () => shoot());
  const burst = (): Burst => {
    nowMs += restMs + random.next() * 400;
    return { restedMs: restMs, shots: fire(promised.burst + 6) };
  };
  const evenly = (
    perSecond: number,
    durationMs: number,
    jitter: number,
    { backlogMs = 0, skippedMs = 0 }: Pick<Deployment, "backlogMs" | "skippedMs"> = {},
  ): Exchange[] => {
    const shots: Exchange[] = [];
    const startMs = nowMs;
    while (nowMs < startMs + durationMs) {
      shots.push(shoot((backlogMs * (nowMs - startMs)) / durationMs));
      nowMs += (1_000 / perSecond) * (1 + jitter * (random.next() - 0.5));
      if (skippedMs > 0 && random.next() < SKIPPED_SHARE) nowMs += skippedMs;
    }
    return shots;
  };
  const bursts = [burst(), burst(), burst()];
  const overloadMs = Math.min(40_000, Math.max(6_000, 3.2 * windowMs(promised)));
  nowMs += deployment.pauseMs ?? 0;
  const overload = evenly(promised.sustained * 2.4, overloadMs / 2, 0.5, deployment);
  nowMs += deployment.stallMs ?? 0;
  overload.push(...evenly(promised.sustained * 2.4, overloadMs / 2, 0.5, deployment));
  nowMs += deployment.backlogMs ?? 0;
  const returns = Array.from({ length: 6 }, () => returnOnce()).filter(
    ({ refusal }) => refusal.status !== 200,
  );
  nowMs += restMs;
  const below = {
    offeredPerSecond: promised.sustained * 0.95,
    shots: evenly(promised.sustained * 0.95, 4_000, 0),
    savedUp: promised.burst,
  };

  function returnOnce(): Return {
    let refusal = shoot();
    const exhaustedBy = [refusal];
    while (refusal.status === 200 && exhaustedBy.length <= 3 * promised.burst) {
      refusal = shoot();
      exhaustedBy.push(refusal);
    }
    const toldMs = Number(refusal.headers["retry-after"] ?? "1") * 1_000;
    nowMs = refusal.receivedAtMs + toldMs + 1;
    const probe = shoot();
    return { exhaustedBy, refusal, toldMs, waitedMs: toldMs + 1, probe };
  }

  return {
    key: "free-a",
    plan: "free",
    limit: promised,
    volleys: bursts,
    drain: { volley: bursts[2] ?? burst(), press: overload },
    returns,
    waitsDeclined: [],
    below,
    endpoints: [],
    submissions: [],
  };
}
