/**
 * Polls once more, at the end of the run, the jobs of each kind that ended first, and the longest
 * of those that are old: an end is for ever.
 */

import { jobIn } from "../../contract/decode/job.ts";
import { COST_DUE_MS, COST_SETTLED_MS, lacksCost } from "../../contract/judges/job/shape.ts";
import { isTerminal } from "../../contract/states.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";

/** Ours: of each end and worker as many as tell that old jobs go, or change, at little cost. */
const OLDEST_OF_KIND = 3;
/**
 * Ours: what strikes an end strikes 5 s after it as soon as after any other round time; a poll that
 * is nearly as late by itself waits for that, which takes no time of the gate's.
 */
const OLD_MS = 6_000;
const WAIT_MS_MAX = 1_500;
/** Ours: a cost that was told late is read again so much later, as it may change like any other. */
const TOLD_MS = 2_500;
/** Ours: what is not found is gone when it is not found once more, this much later. */
const AGAIN_MS = 1_200;

/** Ours: that many tell whether costs are told late, or not at all. */
const COSTLESS_MAX = 40;

/**
 * Jobs that told no cost when they ended, once most services would have told it, and where some
 * still lack it, once it is due.
 */
export async function pollCosts(context: Context): Promise<void> {
  await pollCostless(context, COST_SETTLED_MS);
  await pollCostless(context, COST_DUE_MS);
}

async function pollCostless(context: Context, afterEndMs: number): Promise<void> {
  const { world, deadlineAtMs } = context;
  const costless = context.jobs.filter(isCostless).sort(byEnd).slice(0, COSTLESS_MAX);
  const last = costless.at(-1);
  if (last === undefined) return;
  const dueAtMs = (last.endSeenAtMs ?? 0) + afterEndMs;
  await world.delay(Math.min(dueAtMs, deadlineAtMs) - world.now());
  await Promise.all(costless.map((job) => poll(context, job)));
}

function isCostless({ end, polls }: FollowedJob): boolean {
  if (end?.state !== "completed" || !lacksCost(end)) return false;
  const job = jobIn(polls.at(-1));
  return job === null || lacksCost(job);
}

export async function pollEndedJobs(context: Context): Promise<void> {
  if (context.world.now() > context.deadlineAtMs) return;
  const ended = oldestOfKinds(context.jobs, context.world.now());
  await context.world.delay(waitMs(ended, context.world.now()));
  const seen = await Promise.all(ended.map((job) => poll(context, job)));
  const missing = ended.filter((_, at) => seen[at] === null);
  if (missing.length === 0) return;
  await context.world.delay(AGAIN_MS);
  await Promise.all(missing.map((job) => poll(context, job)));
}

/** Until as many as may be are old, of those that are nearly so, and so is each late cost. */
function waitMs(ended: readonly FollowedJob[], nowMs: number): number {
  const waits = ended.map((job) => waitsMs(job, nowMs));
  const lateCosts = ended
    .flatMap((job) => costToldAtMs(job) ?? [])
    .map((ms) => ms + TOLD_MS - nowMs);
  return Math.max(0, ...waits.filter((ms) => ms <= WAIT_MS_MAX), ...lateCosts);
}

/** When it first told a cost that it did not have at its end; null where it was told there. */
function costToldAtMs({ end, polls }: FollowedJob): number | null {
  if (end === null || !lacksCost(end)) return null;
  const told = polls.find((poll) => {
    const job = jobIn(poll);
    return job !== null && isTerminal(job.state) && !lacksCost(job);
  });
  return told?.receivedAtMs ?? null;
}

/**
 * Those that ended first, of each end and each worker, of which the last makes room for the one
 * that tells most: what is long may be kept for less long.
 */
function oldestOfKinds(jobs: readonly FollowedJob[], nowMs: number): readonly FollowedJob[] {
  const kinds = new Map<string, FollowedJob[]>();
  for (const job of jobs.filter(isUntouched).sort(byEnd)) {
    if (job.end === null) continue;
    const kind = JSON.stringify([job.end.state, job.workerId]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), job]);
  }
  return [...kinds.values()].flatMap((kind) => {
    const oldest = kind.slice(0, OLDEST_OF_KIND);
    const old = kind.filter((job) => oldest.includes(job) || waitsMs(job, nowMs) <= WAIT_MS_MAX);
    const longest = old.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
    return oldest.includes(longest) ? oldest : [...oldest.slice(0, -1), longest];
  });
}

/** Until it is old. */
function waitsMs({ endSeenAtMs }: FollowedJob, nowMs: number): number {
  return (endSeenAtMs ?? 0) + OLD_MS - nowMs;
}

/** Of what is told of it. */
function lengthOf({ polls }: FollowedJob): number {
  return polls.at(-1)?.body.length ?? 0;
}

/** What a cancel does to a job that had ended is looked at where it is sent. */
function isUntouched({ cancelRequests, endSeenAtMs }: FollowedJob): boolean {
  return cancelRequests.every(({ sentAtMs }) => endSeenAtMs === null || sentAtMs < endSeenAtMs);
}

function byEnd(a: FollowedJob, b: FollowedJob): number {
  return (a.endSeenAtMs ?? 0) - (b.endSeenAtMs ?? 0);
}
