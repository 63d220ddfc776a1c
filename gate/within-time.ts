/**
 * Runs what a service's own texts may make endless, as its schemas' regular expressions can: a
 * pattern with nested repeats takes twice as long for each character more.
 */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { createContext, Script } from "node:vm";
import { isObject } from "../contract/decode/decoded.ts";

/** The one way to stop a synchronous call: a time limit of the engine's, for calls from within. */
const CALL = new Script("work()");

/** Ours: the engine's watch is an event loop with a few descriptors; without them Node aborts. */
const WATCH_DESCRIPTORS = 8;

/** Ours: a machine that gives a thread less than that of a core is past waiting for. */
const CORE_SHARE_MIN = 1 / 16;
/** Ours: work that ran for most of its limit was stopped for its own slowness. */
const RAN_SHARE_MIN = 0.5;

/**
 * What the work returns; null where it was stopped as it took longer. Throws what it throws. Not
 * limited in a process that has no file descriptors left. The limit is of the thread's own time: on
 * a busy machine work that hardly ran is begun again, with twice as long to end.
 */
export function withinTime<Value>(limitMs: number, work: () => Value): { value: Value } | null {
  if (!canWatch()) return { value: work() };
  for (let timeoutMs = limitMs; timeoutMs <= limitMs / CORE_SHARE_MIN; timeoutMs *= 2) {
    const before = process.threadCpuUsage();
    const done = unlessStopped(timeoutMs, work);
    if (done !== null) return done;
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1_000 >= limitMs * RAN_SHARE_MIN) return null;
  }
  return null;
}

function unlessStopped<Value>(timeoutMs: number, work: () => Value): { value: Value } | null {
  try {
    return { value: CALL.runInContext(createContext({ work }), { timeout: timeoutMs }) as Value };
  } catch (error) {
    // Of the context's own kind: no instance of this one's Error.
    if (isObject(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    throw error;
  }
}

function canWatch(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < WATCH_DESCRIPTORS) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
