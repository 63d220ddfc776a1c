/**
 * Bounds on the rate of a bucket that no lag can cross, neither the generator's nor the way's. A
 * request is decided at some time between its sending and its receipt; after a refusal the bucket
 * holds less than one request.
 */

import type { Exchange } from "../../exchange.ts";
import { leastOf, mostOf } from "../../extremes.ts";
import { gapsOf } from "../../figures.ts";
import type { Range } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import { countBelow } from "./ascending.ts";
import { IDLE_WINDOWS_MAX, isRested } from "./skipped.ts";
import type { Drain } from "./trial.ts";
import { shotsWith } from "./trial.ts";

/** Ours: ends are looked for in this share of the overload, at its beginning and at its end. */
const END_SHARE = 0.2;
/** k6 tells whole milliseconds, cut off: two times may be so much nearer, or farther, than told. */
const CUT_OFF_MS = 1;

/** Requests per second; 0 and Infinity where nothing can be said. */
export function bucketBounds(drain: Drain, limit: RateLimit): Range {
  const overload = [...drain.press].sort((a, b) => a.sentAtMs - b.sentAtMs);
  const count = Math.ceil(overload.length * END_SHARE);
  const admitted = shotsWith(overload, "admitted");
  const sentMs = admitted.map((shot) => shot.sentAtMs).sort((a, b) => a - b);
  const receivedMs = admitted.map((shot) => shot.receivedAtMs).sort((a, b) => a - b);
  const first = [...drain.volley.shots.slice(-1), ...overload.slice(0, count)];
  const seen: Seen = {
    early: shotsWith(first, "refused"),
    lateRefused: shotsWith(overload.slice(-count), "refused"),
    lateAdmitted: shotsWith(overload.slice(-count), "admitted"),
    sentMs,
    receivedMs,
  };
  const isIdle = isRested(drain, limit) || wasIdle(overload, limit);
  return { low: lowBound(seen), high: isIdle ? Infinity : highBound(seen) };
}

interface Seen {
  early: readonly Exchange[];
  lateRefused: readonly Exchange[];
  lateAdmitted: readonly Exchange[];
  /** Of the admitted ones, ascending. */
  sentMs: readonly number[];
  receivedMs: readonly number[];
}

/** After a refusal at most one request more than the rate earns is admitted by any later time. */
function lowBound({ early, lateAdmitted, sentMs, receivedMs }: Seen): number {
  const from = early.map(({ sentAtMs, receivedAtMs }) => {
    return { x: sentAtMs - CUT_OFF_MS, y: countBelow(sentMs, receivedAtMs + CUT_OFF_MS) + 1 };
  });
  const to = lateAdmitted.map(({ receivedAtMs }) => {
    return { x: receivedAtMs, y: countBelow(receivedMs, receivedAtMs + CUT_OFF_MS) };
  });
  return Math.max(0, steepest(from, to) * 1_000);
}

/** Between two refusals all but one request of what the rate earns is admitted. */
function highBound({ early, lateRefused, sentMs, receivedMs }: Seen): number {
  // Turned over, the least slope is the steepest.
  const from = early.map(({ sentAtMs, receivedAtMs }) => {
    return { x: receivedAtMs + CUT_OFF_MS, y: 1 - countBelow(receivedMs, sentAtMs) };
  });
  const to = lateRefused.map(({ sentAtMs, receivedAtMs }) => {
    return { x: sentAtMs, y: -countBelow(sentMs, receivedAtMs + CUT_OFF_MS) };
  });
  return -steepest(from, to) * 1_000;
}

function wasIdle(overload: readonly Exchange[], limit: RateLimit): boolean {
  const received = overload.map((shot) => shot.receivedAtMs).sort((a, b) => a - b);
  const longest = mostOf(gapsOf(received));
  return longest > windowMs(limit) * IDLE_WINDOWS_MAX;
}

export interface Point {
  x: number;
  y: number;
}

/** Its slope; -Infinity where there is none. Points that are not to the left of all others drop. */
export function steepest(from: readonly Point[], to: readonly Point[]): number {
  const leftOf = leastOf(to.map(({ x }) => x));
  const left = from.filter(({ x }) => x < leftOf);
  const below = corners(left, 1);
  const above = corners(to, -1);
  let slope = Number.NEGATIVE_INFINITY;
  for (const a of below) for (const b of above) slope = Math.max(slope, (b.y - a.y) / (b.x - a.x));
  return slope;
}

/** Of the hull's lower side (1) or upper side (-1), from left to right. */
function corners(points: readonly Point[], side: 1 | -1): readonly Point[] {
  const hull: Point[] = [];
  const sorted = [...points].sort((a, b) => a.x - b.x || side * (b.y - a.y));
  for (const point of sorted) {
    while (!isCorner(hull, point, side)) hull.pop();
    hull.push(point);
  }
  return hull;
}

/** Whether the last one still is a corner when the hull goes on to that point. */
function isCorner(hull: readonly Point[], next: Point, side: 1 | -1): boolean {
  const [last, before] = [hull.at(-1), hull.at(-2)];
  if (last === undefined || before === undefined) return true;
  const turn =
    (last.x - before.x) * (next.y - before.y) - (last.y - before.y) * (next.x - before.x);
  return side * turn > 0;
}
