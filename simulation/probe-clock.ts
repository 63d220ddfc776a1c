/** A clock of the probe's, made of calls at given times. */

import type { Clock } from "../probe/clock.ts";

export function probeClock({
  nowMs,
  callAt,
  soon,
}: Pick<Clock, "nowMs" | "callAt" | "soon">): Clock {
  const alarm: Clock["alarm"] = (callback) => {
    let callOff = () => {};
    const off = () => callOff();
    const set = (atMs: number) => {
      off();
      callOff = callAt(atMs, callback);
    };
    return { set, off };
  };
  return { nowMs, wallMs: nowMs, callAt, alarm, soon };
}

/** What the machine's own clock does. */
export function soonOfMachine(callback: () => void): () => void {
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}
