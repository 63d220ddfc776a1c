/** One trace for all requests of a canary run: it follows from the run's id, and outlives us. */

import { createHash } from "node:crypto";
import type { TraceContext } from "../contract/requests/trace.ts";
import { TRACE_BYTES, traceContext } from "../contract/requests/trace.ts";

const TRACE_ID_BYTES = 16;

/** Of the run of that id; null: of a request that belongs to none. */
export type TraceOf = (runId: string | null) => TraceContext;

/** `newId`: never the same; for spans, and for what belongs to no run. */
export function traces(newId: () => string): TraceOf {
  return (runId) => {
    const span = digest(newId()).subarray(0, TRACE_BYTES - TRACE_ID_BYTES);
    return traceContext(Buffer.concat([traceBytes(runId ?? newId()), span]));
  };
}

export function traceIdOfRun(runId: string): string {
  return traceBytes(runId).toString("hex");
}

function traceBytes(id: string): Buffer {
  return digest(id).subarray(0, TRACE_ID_BYTES);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
