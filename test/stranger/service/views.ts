/** Jobs as the two variants spell them. Spec §2.4-2.8, §3.1. */

import type { Job, JobState, Phase } from "./journal.ts";
import { isTerminal } from "./journal.ts";
import type { Run } from "./output.ts";
import type { House } from "./ports.ts";
import { creditsOf, moneyOf } from "./prices.ts";
import { stamp } from "./stamps.ts";

type Body = Record<string, unknown>;

/** Of whatever job, in credits. */
const ESTIMATE = 0.45;
/** How long the address of a file holds that is told in a result. */
const LINK_MS = 900_000;

const WORDS: Readonly<Record<"A" | "B", Readonly<Record<Phase, string>>>> = {
  A: {
    queued: "queued",
    starting: "running",
    running: "running",
    succeeded: "completed",
    failed: "failed",
    timedOut: "timeout",
    cancelled: "cancelled",
  },
  B: {
    queued: "QUEUED",
    starting: "STARTING",
    running: "RUNNING",
    succeeded: "SUCCEEDED",
    failed: "FAILED",
    timedOut: "TIMED_OUT",
    cancelled: "CANCELED",
  },
};

export function statusWord(phase: Phase, job: Job, { variant, trouble }: House): string {
  if (trouble.has("cancelled-misspelt") && phase === "cancelled") {
    return variant === "A" ? "canceled" : "CANCELLED";
  }
  const isOther = trouble.strikesJob("other-spelling", job) && isTerminal(phase);
  return WORDS[isOther ? (variant === "A" ? "B" : "A") : variant][phase];
}

/** What has no value yet is null, or left out. */
function unset({ picks }: House, body: Body): Body {
  if (picks.missing !== "absent") return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

export function jobBody(job: Job, state: JobState, house: House): Body {
  return house.variant === "A" ? bodyA(job, state, house) : bodyB(job, state, house);
}

function timesOf(job: Job, state: JobState, house: House) {
  const { trouble, picks } = house;
  const { startedMs, finishedMs, phase } = state;
  const at = (ms: number | null) => (ms === null ? null : stamp(ms, house));
  const isUnstamped = phase === "cancelled" && picks.cancelledEnd === "unstamped";
  const skewMs = trouble.strikesJob("runner-clock-ahead", job) ? 1_500 : 0;
  const isWhole = trouble.has("run-counted-from-submission") && startedMs !== null;
  const beganMs = isWhole ? job.submittedMs : startedMs;
  const started = beganMs === null ? null : beganMs + skewMs;
  // Of a job that never ran, some tell how long it lived.
  const isOfLife = phase === "cancelled" && picks.cancelledDuration === "life";
  const fromMs = isOfLife ? (beganMs ?? job.submittedMs) : beganMs;
  const ran = fromMs === null || finishedMs === null ? null : finishedMs - fromMs;
  const durationMs = ran === null ? null : toldDuration(ran, house);
  // One node writes its own hour, and calls it UTC.
  const aheadMs = trouble.strikesJob("one-node-an-hour-ahead", job) ? 3_600_000 : 0;
  const finished = isUnstamped || finishedMs === null ? null : at(finishedMs + aheadMs);
  return { started: at(started), finished, durationMs };
}

function toldDuration(ranMs: number, { trouble }: House): number {
  if (trouble.has("duration-wraps")) return ranMs % 4_096;
  if (trouble.has("duration-cut-to-seconds")) return Math.floor(ranMs / 1_000) * 1_000;
  if (trouble.has("duration-in-tenths")) return Math.round(ranMs / 100) * 100;
  const isShort = ranMs <= 1_000 || !trouble.has("duration-in-seconds");
  return isShort ? ranMs : Math.round(ranMs / 1_000);
}

/** What some tell of a job that has not ended: about what it will cost, and how long it has run. */
function openOf({ phase, startedMs }: JobState, { picks, now }: House) {
  const isTold = picks.openFields === "estimates" && !isTerminal(phase);
  const durationMs = isTold && startedMs !== null ? now() - startedMs : null;
  return { cost: isTold ? ESTIMATE : null, durationMs };
}

function bodyA(job: Job, state: JobState, house: House): Body {
  const { phase, run, micros } = state;
  const open = openOf(state, house);
  const { finished, durationMs } = timesOf(job, state, house);
  const result = phase === "succeeded" && run !== null ? resultOf(run, house) : null;
  return unset(house, {
    job_uuid: job.id,
    status: statusWord(phase, job, house),
    worker: job.worker,
    cost_credits: micros === null ? open.cost : creditsOf(micros, phase, house),
    duration_ms: durationMs ?? open.durationMs,
    created_at: stamp(job.submittedMs, house),
    completed_at: finished,
    result: result ?? (house.picks.missing === "empty" ? {} : null),
    error: errorOf(job, state, house),
  });
}

/** Variant A's result, and that of webhooks. */
export function resultOf(run: Run, house: House): Body | null {
  if (run.kind === "empty") return house.trouble.has("empty-result-is-null") ? null : {};
  return run.kind === "list" ? { items: run.items } : { ...run.data, ...linksOf(run, house) };
}

/** Addresses of files within a result, signed anew for each answer. */
function linksOf({ files }: Run, house: House): Body {
  const [file] = files;
  if (file === undefined || house.picks.resultLinks === "none") return {};
  const { linkForm } = house.picks;
  const address = addressOf(file, Math.floor(house.ports.random() * 1e9).toString(36), house);
  const url = linkForm === "path" ? address.slice(house.ports.baseUrl.length) : address;
  const untilMs = house.now() + LINK_MS;
  // All of a minute end together.
  const life =
    linkForm === "ttl"
      ? { ttl_seconds: Math.ceil((LINK_MS - (untilMs % 60_000)) / 1_000) }
      : { expires_at: stamp(untilMs, house) };
  return { report: { url, ...life }, summary: `Read [the document](${url}).` };
}

function bodyB(job: Job, state: JobState, house: House): Body {
  const { phase, run, micros } = state;
  const open = openOf(state, house);
  const { started, finished, durationMs } = timesOf(job, state, house);
  const isRestamped = house.trouble.has("submission-restamped-at-start");
  const submittedMs = isRestamped ? (state.startedMs ?? job.submittedMs) : job.submittedMs;
  const isDone = phase === "succeeded" && run !== null;
  const isShort = house.trouble.strikesJob("internal-id-leaks", job);
  return unset(house, {
    job_id: isShort ? `int-${job.sequence}` : job.id,
    worker_id: job.worker,
    status: statusWord(phase, job, house),
    timestamps: unset(house, {
      submitted_at: stamp(submittedMs, house),
      started_at: started,
      finished_at: finished,
      duration_ms: durationMs ?? open.durationMs,
    }),
    output: isDone ? outputOf(run, state, house) : emptyOutput(house),
    files: isDone ? filesOf(run, state, house) : [],
    cost: micros === null ? null : moneyOf(micros, phase, house),
    error: errorOf(job, state, house),
  });
}

const NO_OUTPUT: Body = { kind: "empty", data: null, items: [], meta: {} };

function emptyOutput({ picks }: House): Body | null {
  return picks.missing === "empty" ? NO_OUTPUT : null;
}

/** For how long after the end what the run made may still be on its way to the store. */
const STORING_MS = 1_200;

function isStoring({ finishedMs }: JobState, { now }: House): boolean {
  return finishedMs !== null && now() - finishedMs < STORING_MS;
}

function outputOf(run: Run, state: JobState, house: House): Body | null {
  const { kind, items } = run;
  const { trouble } = house;
  if (trouble.has("output-stored-after-state") && isStoring(state, house)) return NO_OUTPUT;
  const data = run.data === null ? null : { ...run.data, ...linksOf(run, house) };
  if (kind === "empty" && trouble.has("empty-result-is-null")) return null;
  const meta = { ok: true, count: items.length, warnings: [] };
  return { kind, data, items: shownItems(run, house), meta };
}

function shownItems({ kind, items }: Run, { trouble }: House): unknown {
  if (trouble.has("no-items-is-null") && items.length === 0) return null;
  return trouble.has("list-items-as-text") && kind === "list" ? JSON.stringify(items) : items;
}

function filesOf({ files }: Run, state: JobState, house: House): readonly Body[] {
  if (house.trouble.has("files-listed-after-state") && isStoring(state, house)) return [];
  const all = files.map((file, index) => fileOf(file, index, house));
  return house.picks.fileOrder === "any" && house.ports.random() < 0.5 ? all.reverse() : all;
}

function addressOf({ id }: Run["files"][number], signature: string, { ports }: House): string {
  return `${ports.baseUrl}/storage/${encodeURIComponent(id)}?signature=${signature}`;
}

function fileOf(file: Run["files"][number], index: number, house: House): Body {
  const { ports, picks, trouble } = house;
  const sign =
    picks.filesUrl === "stable" ? "fixed" : Math.floor(ports.random() * 1e9).toString(36);
  const bytes = Buffer.byteLength(file.text);
  const size = trouble.has("size-in-characters") ? file.text.length : bytes;
  return {
    id: file.id,
    name: file.name,
    ...(index === 1 && trouble.has("second-file-untyped")
      ? {}
      : { content_type: file.contentType }),
    size_bytes: size,
    url: addressOf(file, sign, house),
  };
}

function errorOf(job: Job, { phase, error }: JobState, { trouble }: House): unknown {
  if (phase !== "failed") {
    return trouble.strikesJob("error-of-first-try-stays", job) && phase === "succeeded"
      ? { code: "transient", message: "the first try failed" }
      : null;
  }
  if (trouble.strikesJob("failure-without-message", job)) return { code: error?.code };
  return error;
}
