/** Submits one job and follows it to its end, with as few requests as its usual life allows. */

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { refusedForMs } from "../../contract/answers/retry-after.ts";
import { issuedIdIn } from "../../contract/decode/accepted.ts";
import { decodeJob } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import { isTerminal } from "../../contract/states.ts";
import type { Client } from "../../http/client.ts";
import type { ClientRequest } from "../../http/request.ts";
import type { Subject } from "./side.ts";

/** What became of one job. Times in ms. */
export interface JobRun {
  submitMs: number;
  /** Time of the read that saw the end; null where none did. */
  readMs: number | null;
  /** From submission to the end; null unless it completed. */
  life: JobLife | null;
  /** In words what failed; null for a job that completed. */
  failure: string | null;
  /** Wait that a 429 asks for; null without one. */
  heldMs: number | null;
  credits: number;
  usd: number;
}

/** How long a job took, in ms, by each of those who can tell its end. */
export interface JobLife {
  /** Between the last poll that did not see the end and the first that did. */
  byPolls: number;
  /** By its own timestamps, which need no polls to be exact; null where they have no ms. */
  byService: number | null;
}

/** One of them for all that is compared: what they tell differs by more than jobs may. */
export type EndsBy = keyof JobLife;

export interface JobRunOptions {
  subject: Subject;
  client: Client;
  /** Resolves when one more read may be sent. */
  turn: (signal: AbortSignal) => Promise<void>;
  /** Age at which jobs are usually done, as far as is known. */
  usualLifeMs: () => number;
  /** Not followed any longer than that, by performance.now(). */
  untilMs: number;
  signal: AbortSignal;
}

/** Ours: a job that is not there yet is asked for again after this share of its age. */
const REPEAT_SHARE = 0.1;
const REPEAT_MS_MIN = 20;
/** Ours: a little before the usual end, so that most ends are seen by the second poll. */
const FIRST_POLL_SHARE = 0.9;
/** Ours: the longest that a Retry-After is waited for. */
const HOLD_MS_MAX = 60_000;

export async function runJob(options: JobRunOptions): Promise<JobRun> {
  const { id: parameter, input: body } = options.subject.worker;
  const sentMs = performance.now();
  const answer = await send(options, { method: "POST", route: "submit", parameter, body });
  // Which status an acceptance must have is judged elsewhere: here the job is what counts.
  const id = issuedIdIn(answer);
  if (id === null) return failed("a submission", answer, tookMs(answer));
  return await follow(options, id, { sentMs, submitMs: tookMs(answer) });
}

/** Rejects only when the run is interrupted. */
function send(options: JobRunOptions, request: Omit<ClientRequest, "key">): Promise<Exchange> {
  const { client, subject, signal } = options;
  const key = { name: subject.key.name, value: subject.keyValue };
  return client.send({ ...request, key, signal });
}

function tookMs({ sentAtMs, receivedAtMs }: Exchange): number {
  return receivedAtMs - sentAtMs;
}

function failed(what: string, answer: Exchange, submitMs: number): JobRun {
  const failure = `${what} ${toldOf(answer)}`;
  return { ...NOTHING, submitMs, failure, heldMs: holdMs(answer) };
}

function toldOf(answer: Exchange): string {
  if (answer.status === 0) return "got no answer";
  const isUnread = isSuccess(answer);
  return `was answered ${answer.status}${isUnread ? " with nothing that can be read" : ""}`;
}

function holdMs(answer: Exchange): number | null {
  if (answer.status !== 429) return null;
  return refusedForMs(answer, HOLD_MS_MAX);
}

const NOTHING = { readMs: null, life: null, heldMs: null, credits: 0, usd: 0 };

interface Sent {
  sentMs: number;
  submitMs: number;
}

async function follow(options: JobRunOptions, id: string, sent: Sent): Promise<JobRun> {
  const { turn, signal, untilMs } = options;
  const { sentMs, submitMs } = sent;
  let waitMs = Math.max(REPEAT_MS_MIN, FIRST_POLL_SHARE * options.usualLifeMs() - submitMs);
  for (let before = sentMs + submitMs; performance.now() < untilMs; ) {
    await sleep(waitMs, undefined, { signal });
    await turn(signal);
    const askedMs = performance.now();
    const answer = await send(options, { route: "job", parameter: id });
    if (!isSuccess(answer)) return failed("a job read", answer, submitMs);
    const job = decodeJob(jsonBody(answer)).value;
    if (isTerminal(job?.state)) {
      const readMs = tookMs(answer);
      const seenMs = (before + askedMs + readMs) / 2 - sentMs;
      return ended(job, { submitMs, readMs, seenMs });
    }
    before = askedMs;
    waitMs = Math.max(REPEAT_MS_MIN, REPEAT_SHARE * (performance.now() - sentMs));
  }
  return { ...NOTHING, submitMs, failure: "a job did not end in time" };
}

function ended(job: Job, times: { submitMs: number; readMs: number; seenMs: number }): JobRun {
  const { submitMs, readMs, seenMs } = times;
  const isDone = job.state === "completed";
  return {
    submitMs,
    readMs,
    life: isDone ? { byPolls: seenMs, byService: statedLifeMs(job) } : null,
    failure: isDone ? null : `a job ended as ${job.state}`,
    heldMs: null,
    credits: job.cost.credits ?? 0,
    usd: job.cost.totalUsd ?? 0,
  };
}

/** Ours: a service that states whole seconds is timed from outside. */
const DIGITS_MIN = 3;

function statedLifeMs({ createdAt, finishedAt }: Job): number | null {
  if (createdAt === null || finishedAt === null) return null;
  if (Math.min(createdAt.fractionDigits, finishedAt.fractionDigits) < DIGITS_MIN) return null;
  const ms = finishedAt.ms - createdAt.ms;
  return ms > 0 ? ms : null;
}
