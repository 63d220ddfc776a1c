/** Submits jobs within the budget and follows them to their end and a little beyond. */

import { decodeAccepted } from "../../contract/decode/accepted.ts";
import { decodeJob } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { EndState } from "../../contract/job-history.ts";
import { pollIntervalMs } from "../../contract/polling.ts";
import type { Part, WorkerPart } from "../../contract/run-plan.ts";
import { isTerminal } from "../../contract/states.ts";
import type { Json } from "../../contract/verdict.ts";
import type { World } from "../world/world.ts";
import type { Context } from "./context.ts";
import type { FollowedJob } from "./followed-job.ts";
import type { Charge, Price } from "./spending.ts";

/** How a job of each part ends. */
const ENDS: Readonly<Record<Part, EndState>> = {
  success: "completed",
  slow: "completed",
  list: "completed",
  empty: "completed",
  files: "completed",
  failure: "failed",
  timeout: "timeout",
};

/** Ours: an answer tells an estimate at once; an end, the cost of a job that is short. */
const COST_WAIT_MS = 10_000;
const COST_LOOK_MS = 10;

/** A worker's path parameter and price, for the budget. */
export interface Submission {
  worker: WorkerPart;
  price: Price;
  part: Part | null;
  /** How long to wait for its end at the most. */
  waitMs: number;
  /** As in `JobHistory`. */
  lostAfterMs?: number | null;
  /** Fields beside the worker's own. */
  control?: { readonly [name: string]: Json };
}

/** Takes the job out of the budget and submits it; null when the budget has no room for it. */
export async function submit(
  context: Context,
  submission: Submission,
): Promise<FollowedJob | null> {
  const key = context.caller;
  const charge = key === null ? null : await takeRoom(context, submission);
  if (key === null || charge === null) return null;
  const { worker, part } = submission;
  const exchange = await context.ask({
    method: "POST",
    route: "submit",
    parameter: worker.id,
    key,
    body: JSON.stringify({ ...worker.input, ...submission.control }),
  });
  charge.answered(exchange);
  const issuedId = isSuccess(exchange)
    ? (decodeAccepted(jsonBody(exchange)).value?.id ?? null)
    : null;
  if (issuedId !== null) context.ownIds.add(issuedId);
  return {
    submission: exchange,
    issuedId,
    workerId: worker.id,
    part,
    polls: [],
    cancelRequests: [],
    expected: part === null ? null : ENDS[part],
    gaveUpAtMs: null,
    deadlineMs: submission.waitMs,
    lostAfterMs: submission.lostAfterMs ?? null,
    endSeenAtMs: null,
    end: null,
  };
}

/** Waits while a job on its way may yet tell what this one costs; null: there is no room for it. */
async function takeRoom(context: Context, submission: Submission): Promise<Charge | null> {
  const { world } = context;
  const untilMs = Math.min(
    world.now() + Math.min(submission.waitMs, COST_WAIT_MS),
    context.deadlineAtMs,
  );
  for (;;) {
    const taken = context.spending.take(submission.worker.id, submission.price);
    if (taken === "none") return null;
    if (taken !== "later") return taken;
    if (world.now() > untilMs) return null;
    await world.delay(COST_LOOK_MS);
  }
}

/** Asks for the job once; the job as it is now, null when it can't be read. */
export async function poll(context: Context, job: FollowedJob): Promise<Job | null> {
  const exchange = await context.ask({
    method: "GET",
    route: "job",
    parameter: job.issuedId ?? "",
    key: context.caller,
  });
  job.polls.push(exchange);
  const seen = isSuccess(exchange) ? decodeJob(jsonBody(exchange)).value : null;
  if (seen?.state != null && isTerminal(seen.state) && job.endSeenAtMs === null) {
    job.endSeenAtMs = exchange.receivedAtMs;
    job.end = seen;
    if (job.issuedId !== null) context.spending.ended(job.issuedId, seen);
  }
  return seen;
}

/**
 * Polls at the advised pace until the end is seen or the wait is over. The first wait is cut short
 * by chance: polls in step with the service's own times would see all jobs at the same age only,
 * and miss for ever what they do between.
 */
export async function followToEnd(context: Context, job: FollowedJob): Promise<void> {
  const { world } = context;
  if (job.issuedId === null) return;
  const untilMs = Math.min(job.submission.receivedAtMs + job.deadlineMs, context.deadlineAtMs);
  let share = randomShare(world);
  for (;;) {
    await poll(context, job);
    if (job.endSeenAtMs !== null) return;
    if (world.now() >= untilMs) break;
    // It may take about as long again as it has taken so far.
    const estimateMs = world.now() - job.submission.sentAtMs;
    await world.delay(pollIntervalMs(context.plan.times, estimateMs) * share);
    share = 1;
  }
  job.gaveUpAtMs = world.now();
}

/** Any share of a whole, by chance. */
function randomShare(world: World): number {
  return (world.randomBytes(1)[0] ?? 0) / 256;
}

/** Looks again at an ended job at these times after its end: it must stay as it is. */
export async function lookAgain(
  context: Context,
  job: FollowedJob,
  afterMs: readonly number[],
): Promise<void> {
  const { world } = context;
  const { endSeenAtMs } = job;
  if (endSeenAtMs === null) return;
  for (const ms of afterMs) {
    await world.delay(endSeenAtMs + ms - world.now());
    if (world.now() > context.deadlineAtMs) return;
    await poll(context, job);
  }
}
