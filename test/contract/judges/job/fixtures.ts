/** A run of four healthy jobs, one an end, as an observer saw it; tests change one thing each. */

import { decodeAccepted } from "../../../../contract/decode/accepted.ts";
import type { JobHistory } from "../../../../contract/jobs/job-history.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../../contract/requests/exchange.ts";
import type { RouteName } from "../../../../contract/requests/routes.ts";
import type { EndState, State, Variant } from "../../../../contract/states.ts";
import { STATE_SPELLINGS } from "../../../../contract/states.ts";

export const T0 = Date.UTC(2026, 0, 2, 3, 4, 5);

// biome-ignore lint/suspicious/noExplicitAny: tests break bodies in ways that no type would allow
export type Body = any;

export interface PollPlan {
  state: State;
  /** Milliseconds after T0 at which it was sent; the answer came 10 ms later. */
  at: number;
  /** Set for a poll that was answered otherwise than with 200; only a success shows the job. */
  status?: number;
}

export interface Poll {
  end: EndState;
  state: State;
  /** Which of the job's polls, from 0. */
  index: number;
}

/** Changes a body, or answers another in its place. */
export type Edit = (body: Body, poll: Poll) => unknown;

export interface Scene {
  variant: Variant;
  polls?: Partial<Record<EndState, readonly PollPlan[]>>;
  edit?: Edit;
  editAccepted?: (body: Body, end: EndState) => unknown;
  history?: (history: JobHistory) => JobHistory;
  ends?: readonly EndState[];
  /** How far the service's clock is ahead. */
  offsetMs?: number;
}

const ENDS: readonly EndState[] = ["completed", "failed", "timeout", "cancelled"];

const RUN: readonly PollPlan[] = [
  { state: "queued", at: 100 },
  { state: "running", at: 1_000 },
  { state: "running", at: 5_000 },
];

/** Polls of a job with that end: waiting, running twice, ended twice; a cancelled one never ran. */
export function pollsTo(end: EndState): readonly PollPlan[] {
  const before = end === "cancelled" ? RUN.slice(0, 1) : RUN;
  return [...before, { state: end, at: 6_000 }, { state: end, at: 8_000 }];
}

/** What each job was given in its input, and gives back in its result. */
export const INPUT_MARK = "plumbline-0123456789abcdef";

export function exchange(change: Partial<Exchange> & { status: number }): Exchange {
  return {
    method: "GET",
    route: "job" as RouteName,
    path: "/v1/jobs/j",
    key: "free-a",
    requestBody: null,
    headers: {},
    body: "",
    error: null,
    sentAtMs: T0,
    receivedAtMs: T0 + 10,
    ...change,
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function run(scene: Scene): readonly JobHistory[] {
  return (scene.ends ?? ENDS).map((end) => {
    const history = healthyHistory(scene, end);
    return scene.history?.(history) ?? history;
  });
}

function healthyHistory(scene: Scene, end: EndState): JobHistory {
  const id = `job-${end}`;
  const accepted = acceptedBody(scene.variant, id, scene.offsetMs ?? 0);
  const submission = exchange({
    method: "POST",
    route: "submit",
    path: "/v1/workers/echo/jobs",
    status: 202,
    requestBody: JSON.stringify({ text: INPUT_MARK }),
    body: JSON.stringify(scene.editAccepted?.(accepted, end) ?? accepted),
  });
  return {
    submission,
    issuedId: decodeAccepted(jsonBody(submission)).value?.id ?? null,
    workerId: "echo",
    polls: (scene.polls?.[end] ?? pollsTo(end)).map((plan, index) => poll(scene, end, plan, index)),
    cancelRequests: [],
    expected: end,
    gaveUpAtMs: null,
    deadlineMs: 10_000,
    lostAfterMs: 5_000,
  };
}

function poll(scene: Scene, end: EndState, plan: PollPlan, index: number): Exchange {
  const body = jobBody(scene.variant, plan.state, `job-${end}`, scene.offsetMs ?? 0);
  const edited = scene.edit?.(body, { end, state: plan.state, index }) ?? body;
  const status = plan.status ?? 200;
  return exchange({
    status,
    body: isSuccess({ status }) ? JSON.stringify(edited) : "",
    error: status === 0 ? "timeout" : null,
    sentAtMs: T0 + plan.at,
    receivedAtMs: T0 + plan.at + 10,
  });
}

export function acceptedBody(variant: Variant, id: string, offsetMs = 0): Body {
  const createdAt = iso(T0 + 5 + offsetMs);
  return variant === "A"
    ? {
        job_uuid: id,
        status: "queued",
        worker: "echo",
        cost_estimate_credits: 2,
        created_at: createdAt,
      }
    : { job_uuid: id, worker_id: "echo", status: "QUEUED", submitted_at: createdAt };
}

/** The job object of either variant: submitted at T0 + 5, run from T0 + 500 to T0 + 5500. */
export function jobBody(variant: Variant, state: State, id: string, offsetMs = 0): Body {
  const ended = ["completed", "failed", "timeout", "cancelled"].includes(state);
  const started = !["accepted", "queued", "cancelled"].includes(state);
  const ran = ended && started;
  const parts = {
    id,
    status: STATE_SPELLINGS[variant][state],
    submittedAt: iso(T0 + 5 + offsetMs),
    startedAt: started ? iso(T0 + 500 + offsetMs) : null,
    finishedAt: ended ? iso(T0 + 5_500 + offsetMs) : null,
    durationMs: ran ? 5_000 : null,
    isCompleted: state === "completed",
    error: state === "failed" ? { code: "CRASHED", message: "it fell over" } : null,
  };
  return variant === "A" ? bodyA(parts) : bodyB(parts);
}

interface Parts {
  id: string;
  status: string | undefined;
  submittedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  durationMs: number | null;
  isCompleted: boolean;
  error: { code: string; message: string } | null;
}

function bodyA(parts: Parts): Body {
  return {
    job_uuid: parts.id,
    status: parts.status,
    worker: "echo",
    cost_credits: parts.isCompleted ? 2 : null,
    duration_ms: parts.durationMs,
    created_at: parts.submittedAt,
    completed_at: parts.finishedAt,
    result: parts.isCompleted ? { text: INPUT_MARK, nested: { list: [1, 2] } } : null,
    error: parts.error,
  };
}

function bodyB(parts: Parts): Body {
  return {
    job_id: parts.id,
    worker_id: "echo",
    status: parts.status,
    timestamps: {
      submitted_at: parts.submittedAt,
      started_at: parts.startedAt,
      finished_at: parts.finishedAt,
      duration_ms: parts.durationMs,
    },
    output: parts.isCompleted
      ? { kind: "object", data: { text: INPUT_MARK }, items: [], meta: {} }
      : null,
    files: parts.isCompleted ? [fileEntry()] : [],
    cost: parts.isCompleted
      ? { total_usd: 0.3, run_usd: 0.1, infra_usd: 0.2, billing_mode: "per_run" }
      : null,
    error: parts.error,
  };
}

export function fileEntry(): Body {
  return {
    id: "file-1",
    name: "picture.png",
    content_type: "image/png",
    size_bytes: 3,
    url: "https://storage.example.com/picture.png?signature=1",
  };
}
