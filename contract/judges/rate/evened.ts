/** An overload in which a few answers came late, for reasons of their own. */

import { medianOf } from "../../numbers/figures.ts";
import type { Drain } from "./trial.ts";
import { answeredInMs, withoutEqualLag } from "./trial.ts";

/** Ours: by so much longer than half of the others did, one answer took for its own reasons. */
const LATE_MS = 500;
/** Ours: where more are late, requests may have waited for their turn. */
const LATE_SHARE_MAX = 0.1;

interface Evened {
  drain: Drain;
  /** Of the overload, those of which nobody knows when they came. */
  lateShare: number;
}

/** An overload as if single answers had come with the others. */
export function evened({ volley: burst, press: overload }: Drain): Evened {
  const shots = withoutEqualLag([...burst.shots, ...overload]);
  const count = burst.shots.length;
  const { press, lateShare } = withoutLate(shots.slice(count));
  return { drain: { volley: { ...burst, shots: shots.slice(0, count) }, press }, lateShare };
}

/**
 * Single answers that come seconds late, as of a worker that starts up, are those of requests that
 * had come with the others. A few may have been held up before they came: `lateShare` stays open.
 */
function withoutLate(press: Drain["press"]): Pick<Drain, "press"> & Pick<Evened, "lateShare"> {
  const tookMs = press.map(answeredInMs);
  const usualMs = tookMs.length === 0 ? 0 : medianOf(tookMs);
  const isLate = (ms: number) => ms > usualMs + LATE_MS;
  const lateShare = tookMs.filter(isLate).length / Math.max(1, press.length);
  if (lateShare === 0 || lateShare > LATE_SHARE_MAX) return { press, lateShare: 0 };
  const prompt = press.map((shot, at) => {
    if (!isLate(tookMs[at] ?? 0)) return shot;
    return { ...shot, receivedAtMs: shot.sentAtMs + usualMs, transportMs: usualMs };
  });
  return { press: prompt, lateShare };
}
