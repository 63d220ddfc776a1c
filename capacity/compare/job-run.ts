/** Submits one job and follows it to its end, with as few requests as its usual life allows. */

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { decodeAccepted } from "../../contract/decode/accepted.ts";
import { decodeJob } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import { isTerminal } from "../../contract/states.ts";
import type { Answer, Client } from "./client.ts";
import type { Pace } from "./pace.ts";
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
  /** Between the last look that did not see the end and the first that did. */
  byPolls: number;
  /** By its own timestamps, which need no looks to be exact; null where they have no ms. */
  byService: number | null;
}

/** One of them for all that is compared: what they tell differs by more than jobs may. */
export type EndsBy = keyof JobLife;

export interface JobRunOptions {
  subject: Subject;
  client: Client;
  pace: Pace;
  /** Age at which jobs are usually done, as far as is known. */
  usualLifeMs: () => number;
  /** Not followed any longer than that, by performance.now(). */
  untilMs: number;
  signal: AbortSignal;
}

/** Ours: a job that is not there yet is asked for again after this share of its age. */
const REPEAT_SHARE = 0.1;
const REPEAT_MS_MIN = 20;
/** Ours: a little before the usual end, so that most ends are seen by the second look. */
const FIRST_LOOK_SHARE = 0.9;
/** Ours: a wait where a 429 tells none. */
const HOLD_MS_DEFAULT = 1_000;

export async function runJob(options: JobRunOptions): Promise<JobRun> {
  const { subject, client } = options;
  const sentMs = performance.now();
  const { worker } = subject;
  const answer = await client.send("POST", "submit", worker.id, worker.input);
  const accepted = answer.status === 202 ? decodeAccepted(answer.json).value : null;
  if (accepted?.id == null) return refused(answer);
  return await follow(options, accepted.id, { sentMs, submitMs: answer.tookMs });
}

function refused({ status, retryAfter, tookMs }: Answer): JobRun {
  const what = status === 0 ? "got no answer" : `was answered ${status}`;
  const seconds = Number(retryAfter ?? Number.NaN);
  const holdMs = Number.isFinite(seconds) ? seconds * 1_000 : HOLD_MS_DEFAULT;
  const heldMs = status === 429 ? holdMs : null;
  return { ...NOTHING, submitMs: tookMs, failure: `a submission ${what}`, heldMs };
}

const NOTHING = { readMs: null, life: null, heldMs: null, credits: 0, usd: 0 };

interface Sent {
  sentMs: number;
  submitMs: number;
}

async function follow(options: JobRunOptions, id: string, sent: Sent): Promise<JobRun> {
  const { client, pace, signal, untilMs } = options;
  const { sentMs, submitMs } = sent;
  let waitMs = Math.max(REPEAT_MS_MIN, FIRST_LOOK_SHARE * options.usualLifeMs() - submitMs);
  for (let before = sentMs + submitMs; performance.now() < untilMs; ) {
    await sleep(waitMs, undefined, { signal });
    await pace.turn(signal);
    const askedMs = performance.now();
    const answer = await client.send("GET", "job", id);
    if (answer.status === 429) return { ...refused(answer), submitMs };
    if (answer.status !== 200) {
      const what = answer.status === 0 ? "got no answer" : `was answered ${answer.status}`;
      return { ...NOTHING, submitMs, failure: `a job read ${what}` };
    }
    const job = decodeJob(answer.json).value;
    if (job?.state != null && isTerminal(job.state)) {
      const seenMs = (before + askedMs + answer.tookMs) / 2 - sentMs;
      return ended(job, { submitMs, readMs: answer.tookMs, seenMs });
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
