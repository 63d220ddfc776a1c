/**
 * Runs what a service's own texts may make endless, as its schemas' regular expressions can: a
 * pattern with nested repeats takes twice as long for each character more.
 */

import { createContext, Script } from "node:vm";
import { isObject } from "../contract/decode/decoded.ts";

/** The one way to stop a synchronous call: a time limit of the engine's, for calls from within. */
const CALL = new Script("work()");

/** What the work returns; null where it was stopped as it took longer. Throws what it throws. */
export function withinTime<Value>(limitMs: number, work: () => Value): { value: Value } | null {
  try {
    return { value: CALL.runInContext(createContext({ work }), { timeout: limitMs }) as Value };
  } catch (error) {
    // Of the context's own kind: no instance of this one's Error.
    if (isObject(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    throw error;
  }
}
