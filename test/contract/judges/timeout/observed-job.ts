/** A job of variant B that starts up and runs into its limit, as polls saw it. */

import type { LimitedJob } from "../../../../contract/judges/timeout/limited-job.ts";
import { NO_LAG } from "../../../../contract/judges/timeout/limited-job.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { EndState, State } from "../../../../contract/states.ts";
import { STATE_SPELLINGS } from "../../../../contract/states.ts";
import { at, T0, withJson } from "../answers.ts";

/** In the queue until then. */
const LEFT_QUEUE_MS = 200;

export interface ObservedJob {
  startUpMs: number;
  /** The state with which `started_at` is set. */
  stamped: "starting" | "running";
  /** From the beginning of RUNNING to its end. */
  ranMs: number;
  end?: EndState;
  pollEveryMs?: number;
  /** The machine that stamps the end has another clock, ahead by so much; no duration has. */
  endClockMs?: number;
  /** The end is shown so much after it came. */
  viewLagMs?: number;
  /** A view that lags shows it waiting until then. */
  waitingShownUntilMs?: number;
  /** Times are told at the end only. */
  isSecretive?: boolean;
  /** The start is told from RUNNING on, whatever it is that of. */
  isToldWithRun?: boolean;
  /** Members of its cost that are not 0. */
  cost?: Readonly<Record<string, number | null>>;
}

export function observed(job: ObservedJob, number = 1): LimitedJob {
  const accepted = { job_uuid: `job-${number}`, worker_id: "nap", status: "QUEUED" };
  const submission = withJson(202, { ...accepted, submitted_at: iso(0) }, at(0));
  const polls: Exchange[] = [];
  const endMs = LEFT_QUEUE_MS + job.startUpMs + job.ranMs;
  const everyMs = job.pollEveryMs ?? 100;
  const shownMs = endMs + (job.viewLagMs ?? 0);
  for (let atMs = 50; atMs < shownMs + everyMs; atMs += everyMs) {
    polls.push(withJson(200, bodyAt(job, number, { atMs, endMs, shownMs }), at(atMs)));
  }
  const issuedId = `job-${number}`;
  const followed = { submission, issuedId, workerId: "nap", polls, cancelRequests: [] };
  const history = {
    ...followed,
    expected: "timeout",
    gaveUpAtMs: null,
    deadlineMs: 60_000,
  } as const;
  return { history, lag: NO_LAG };
}

function iso(afterMs: number): string {
  return new Date(T0 + afterMs).toISOString();
}

interface Moment {
  atMs: number;
  endMs: number;
  /** When the end is shown. */
  shownMs: number;
}

function bodyAt(job: ObservedJob, number: number, { atMs, endMs, shownMs }: Moment): object {
  const runningMs = LEFT_QUEUE_MS + job.startUpMs;
  const startedMs = job.stamped === "starting" ? LEFT_QUEUE_MS : runningMs;
  const isOver = atMs >= shownMs;
  const isStale = atMs < (job.waitingShownUntilMs ?? 0);
  const isTold = (ms: number) => atMs >= ms && !isStale && (isOver || !job.isSecretive);
  const toldFromMs = job.isToldWithRun ? runningMs : startedMs;
  const seenAtMs = isStale ? 0 : atMs;
  const state = stateAt(seenAtMs, runningMs, isOver ? (job.end ?? "timeout") : null);
  return {
    job_id: `job-${number}`,
    worker_id: "nap",
    status: STATE_SPELLINGS.B[state],
    timestamps: {
      submitted_at: iso(0),
      started_at: isTold(toldFromMs) ? iso(startedMs) : null,
      finished_at: isOver ? iso(endMs + (job.endClockMs ?? 0)) : null,
      duration_ms: isOver ? endMs - startedMs : null,
    },
    output: { kind: "empty", data: null, items: [], meta: {} },
    files: [],
    cost: { total_usd: 0, run_usd: 0, infra_usd: 0, ...job.cost, billing_mode: "per_run" },
    error: isOver && job.end === "failed" ? { code: "CRASHED", message: "it fell over" } : null,
  };
}

function stateAt(atMs: number, runningMs: number, end: State | null): State {
  if (end !== null) return end;
  if (atMs < LEFT_QUEUE_MS) return "queued";
  return atMs < runningMs ? "starting" : "running";
}
