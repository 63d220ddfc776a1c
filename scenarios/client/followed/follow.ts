/** Asks for a job until its end, or until enough was seen, by whatever policy. Spec §4.4, §8. */

import { jobIn } from "../../../contract/decode/job.ts";
import type { Job } from "../../../contract/decode/job-types.ts";
import { isAnothers } from "../../../contract/judges/job/reading.ts";
import { pollIntervalMs } from "../../../contract/limits/polling.ts";
import { isTerminal } from "../../../contract/states.ts";
import type { Context } from "../context.ts";
import type { FollowedJob } from "./followed-job.ts";
import type { Followed } from "./follower.ts";
import { Follower } from "./follower.ts";

/** When a job is asked for again, and when no more. */
export interface PollPolicy {
  /** The scenario's deadline, where that comes sooner. */
  untilMs: number;
  waitMs(seen: Job | null): number;
  /** That its end was seen, where it is left out. */
  isEnough?(seen: Job | null): boolean;
}

/** Asks for the job once; the job as it is now, null when it can't be read. */
export async function poll(context: Context, job: FollowedJob): Promise<Job | null> {
  const exchange = await context.ask({
    method: "GET",
    route: "job",
    parameter: job.issuedId ?? "",
    key: context.caller,
  });
  const before = { job: jobIn(job.polls.at(-1)) };
  job.polls.push(exchange);
  const seen = jobIn(exchange);
  if (isAnothers({ job: seen }, before, job.issuedId)) return null;
  if (seen !== null && isEnded(seen) && job.endSeenAtMs === null) {
    job.endSeenAtMs = exchange.receivedAtMs;
    job.end = seen;
    if (job.issuedId !== null) context.spending.ended(job.issuedId, seen);
  }
  return seen;
}

export function isEnded(seen: Job | null): boolean {
  return isTerminal(seen?.state);
}

/** Gives back the job as it was seen last; it is asked for once in any case. */
export function follow(
  context: Context,
  job: FollowedJob,
  { untilMs, waitMs, isEnough = () => job.endSeenAtMs !== null }: PollPolicy,
): Promise<Job | null> {
  const { world } = context;
  const lastMs = Math.min(untilMs, context.deadlineAtMs);
  return new Promise((resolve, reject) => {
    const one = { pollDueMs: null, isClosed: false };
    const end = (settle: () => void) => {
      one.isClosed = true;
      settle();
      return null;
    };
    const follower = new Follower<Followed, Job | null>(world, {
      ask: () => poll(context, job).catch((error) => end(() => reject(error))),
      take(_, seen) {
        if (isEnough(seen) || world.now() >= lastMs) return end(() => resolve(seen));
        return world.now() + waitMs(seen);
      },
      pacerOf: () => null,
      tickMs: 0,
      timerMsMax: Number.POSITIVE_INFINITY,
    });
    follower.schedule(one, world.now());
  });
}

/** When the job is given up, however it is followed. */
export function givenUpAtMs({ submission, deadlineMs }: FollowedJob): number {
  return submission.receivedAtMs + deadlineMs;
}

/** Ours: of the wait for a job's end; one that goes on for so long should be over. */
const WAITED_SHARE = 0.5;

/**
 * To the end, at the advised pace unless told otherwise. The first wait is cut short by chance:
 * polls in step with the service's own times would see all jobs at the same age only, and miss for
 * ever what they do between.
 */
export async function followToEnd(
  context: Context,
  job: FollowedJob,
  policy: Pick<PollPolicy, "waitMs"> | null = null,
): Promise<void> {
  if (job.issuedId === null) return;
  const waitMs = policy?.waitMs ?? cutShortOnce(context, () => advisedWaitMs(context, job));
  await follow(context, job, { untilMs: givenUpAtMs(job), waitMs });
  const { world } = context;
  // One that came at the end of the scenario was not waited for.
  const isWaitedFor = world.now() > givenUpAtMs(job) - (1 - WAITED_SHARE) * job.deadlineMs;
  if (job.endSeenAtMs === null && isWaitedFor) job.gaveUpAtMs = world.now();
}

function cutShortOnce({ world }: Context, waitMs: () => number): PollPolicy["waitMs"] {
  let share = (world.randomBytes(1)[0] ?? 0) / 256;
  return () => {
    const ms = waitMs() * share;
    share = 1;
    return ms;
  };
}

/** The advised wait for a job that takes about as long again as it has taken so far. */
export function advisedWaitMs({ world, plan }: Context, { submission }: FollowedJob): number {
  return pollIntervalMs(plan.times, world.now() - submission.sentAtMs);
}

/** Polls an ended job again at these times after its end: it must stay as it is. */
export async function pollAgain(
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
