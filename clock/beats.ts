/** The beat of a thread: a timer that tells each time by how much it was late. */

import type { LagSpan } from "../contract/time/lag.ts";
import type { SystemClock } from "./system-clock.ts";

/** Calls back with each beat until it is ended by what it gives back; late ones are not made up. */
export function beats(
  clock: Pick<SystemClock, "nowMs" | "alarm">,
  everyMs: number,
  onBeat: (span: LagSpan) => void,
): () => void {
  let fromMs = clock.nowMs();
  const alarm = clock.alarm(() => {
    const toMs = clock.nowMs();
    const span = { fromMs, toMs, lagMs: toMs - fromMs - everyMs };
    fromMs = toMs;
    alarm.set(toMs + everyMs);
    onBeat(span);
  });
  alarm.set(fromMs + everyMs);
  return alarm.off;
}
