/** Events as structured log lines. Only named fields are logged, and secrets are blanked in all. */

import type { Logger } from "pino";
import pino from "pino";

import type { ProbeEvent, RunFacts } from "../events.ts";
import { traceIdOfRun } from "../trace.ts";

/** A logger that writes JSON lines; each line goes through `redact` before it leaves. */
export function createLogger(write: (line: string) => void, redact: (text: string) => string) {
  const destination = { write: (line: string) => write(redact(line)) };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

type Level = "info" | "warn" | "error";
type Line = readonly [Level, object, string];

/** Events that would only repeat what metrics tell better are not logged. */
export function logEvent(logger: Logger, event: ProbeEvent, isTraced: boolean): void {
  const line = lineOf(event);
  if (line === null) return;
  const [level, fields, message] = line;
  logger[level]({ event: event.type, ...fields, ...(isTraced ? traceOf(event) : {}) }, message);
}

function traceOf(event: ProbeEvent): { traceId?: string } {
  if (!("run" in event) || event.run === null) return {};
  return { traceId: traceIdOfRun(event.run.runId) };
}

function lineOf(event: ProbeEvent): Line | null {
  switch (event.type) {
    case "run-settled": {
      const { outcome, why, submittedAtMs, settledAtMs } = event.settled;
      const level = outcome === "success" ? "info" : "warn";
      const durationMs = Math.round(settledAtMs - submittedAtMs);
      return [level, { ...fieldsOf(event.run), outcome, durationMs }, why];
    }
    case "run-skipped":
      return [
        "warn",
        { canary: event.canary, reason: event.reason, count: event.count },
        event.why,
      ];
    case "run-recovered":
      return ["info", fieldsOf(event.run), "resumed a job of an earlier process"];
    case "resolved": {
      const { run, how } = event;
      return ["warn", { ...fieldsOf(run), how }, "resolved a submission without a response"];
    }
    case "violation": {
      const run = event.run === null ? {} : fieldsOf(event.run);
      return ["warn", { ...run, promise: event.promise }, event.summary];
    }
    case "api-check":
      if (event.outcome === "success") return null;
      return ["warn", { check: event.check, outcome: event.outcome }, event.why ?? ""];
    case "answer-fault":
      return ["warn", { what: event.what }, event.why];
    case "disturbance": {
      const { sleptMs, steppedMs } = event;
      return ["warn", { sleptMs, steppedMs }, disturbanceText(event)];
    }
    case "receiver":
      return event.listening
        ? ["info", {}, `the webhook receiver is ${event.byItself ? "reached" : "listening"}`]
        : ["error", {}, `no webhook can arrive: ${event.why}`];
    case "journal-failed":
      return ["error", { what: event.what }, event.why];
    case "journal-recovered":
      return ["info", {}, "the journal can be written again"];
    case "journal-tightened":
      return ["warn", {}, event.what];
    case "reload":
      return event.ok
        ? ["info", {}, "reloaded the target file"]
        : ["error", {}, `rejected the changed target file: ${event.why}`];
    default:
      return null;
  }
}

function disturbanceText({ sleptMs, steppedMs }: { sleptMs: number; steppedMs: number }): string {
  const said = [
    ...(sleptMs === 0 ? [] : [`this machine slept for ${Math.round(sleptMs / 1_000)} s`]),
    ...(steppedMs === 0 ? [] : [`its clock was set by ${Math.round(steppedMs / 1_000)} s`]),
  ];
  return said.join(", and ");
}

function fieldsOf({ runId, canary, workerId, jobId }: RunFacts) {
  return { runId, canary, worker: workerId, jobId };
}
