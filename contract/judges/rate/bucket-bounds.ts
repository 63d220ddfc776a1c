/**
 * Bounds on the rate of a bucket that no lag can cross, neither the generator's nor the way's. A
 * request is decided at some time between its sending and its receipt; after a refusal the bucket
 * holds less than one request.
 */

import type { Range } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import { countBelow, inTurn, timesOf } from "./ascending.ts";
import type { Point } from "./line.ts";
import { steepest } from "./line.ts";
import { IDLE_WINDOWS_MAX, isRested, longestGapMs } from "./skipped.ts";
import type { Drain } from "./trial.ts";
import { shotsWith } from "./trial.ts";

/** Ours: ends are looked for in this share of the overload, at its beginning and at its end. */
const END_SHARE = 0.2;
/** k6 tells whole milliseconds, cut off: two times may be so much nearer, or farther, than told. */
const CUT_OFF_MS = 1;

/** Requests per second; 0 and Infinity where nothing can be said. */
export function bucketBounds(drain: Drain, limit: RateLimit): Range {
  const overload = inTurn(drain.press);
  const count = Math.ceil(overload.length * END_SHARE);
  const late = overload.slice(-count);
  const early = shotsWith(
    [...drain.volley.shots.slice(-1), ...overload.slice(0, count)],
    "refused",
  );
  const admitted = shotsWith(overload, "admitted");
  const [sentMs, receivedMs] = [timesOf(admitted, "sentAtMs"), timesOf(admitted, "receivedAtMs")];
  const mayBeBy = (ms: number) => countBelow(sentMs, ms + CUT_OFF_MS);
  const surelyBefore = (ms: number) => countBelow(receivedMs, ms);
  // After a refusal at most one request more than the rate earns is admitted by any later time.
  const least = steepest(
    early.map((shot) => point(shot.sentAtMs - CUT_OFF_MS, mayBeBy(shot.receivedAtMs) + 1)),
    shotsWith(late, "admitted").map(({ receivedAtMs }) =>
      point(receivedAtMs, surelyBefore(receivedAtMs + CUT_OFF_MS)),
    ),
  );
  // Between two, all but one of what the rate earns. Turned over, the least slope is the steepest.
  const most = -steepest(
    early.map((shot) => point(shot.receivedAtMs + CUT_OFF_MS, 1 - surelyBefore(shot.sentAtMs))),
    shotsWith(late, "refused").map((shot) => point(shot.sentAtMs, -mayBeBy(shot.receivedAtMs))),
  );
  const idleMs = longestGapMs(overload, "receivedAtMs");
  const isIdle = isRested(drain, limit) || idleMs > windowMs(limit) * IDLE_WINDOWS_MAX;
  return { low: Math.max(0, least * 1_000), high: isIdle ? Infinity : most * 1_000 };
}

function point(x: number, y: number): Point {
  return { x, y };
}
