/** Alarms of a clock that a test makes, by the calls that it makes anyway. */

import type { Clock } from "../../probe/clock.ts";

export function alarmOf({ callAt }: Pick<Clock, "callAt">): Clock["alarm"] {
  return (callback) => {
    let callOff = () => {};
    const off = () => callOff();
    const set = (atMs: number) => {
      off();
      callOff = callAt(atMs, callback);
    };
    return { set, off };
  };
}
