/**
 * Jobs that did not end while they were waited for: polls them once more at the end of the run,
 * and lets fresh jobs take turns with those that still wait, as a queue may have any order.
 */

import { jsonReader } from "../../contract/answers/json-body.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import { isWaiting } from "../../contract/states.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { submit } from "../client/submit.ts";
import { takeTurns } from "../client/turns.ts";

export async function pollOpenJobs(
  context: Context,
  catalogue: () => Promise<Catalogue>,
): Promise<void> {
  if (!context.jobs.some(isGivenUp)) return;
  const open = context.jobs.filter((job) => job.issuedId !== null && job.endSeenAtMs === null);
  const polled = await Promise.all(
    open.map(async (job) => ({ job, isWaiting: await isStillWaiting(context, job) })),
  );
  const waiting = polled.filter(({ job, isWaiting }) => isWaiting && isGivenUp(job));
  for (const workerId of new Set(waiting.map(({ job }) => job.workerId))) {
    const jobs = waiting.flatMap(({ job }) => (job.workerId === workerId ? [job] : []));
    await letTurns(context, await catalogue(), jobs);
  }
}

/**
 * Jobs that nobody has followed, most of which have ended by now. Of those with a priority what
 * serves their queue may be missing; those that waited behind others may wait for longer still.
 */
export async function pollRest(context: Context): Promise<void> {
  const rest = context.jobs.filter(({ issuedId, cancelRequests, endSeenAtMs, gaveUpAtMs }) => {
    if (issuedId === null || cancelRequests.length > 0) return false;
    return endSeenAtMs === null && gaveUpAtMs === null;
  });
  await Promise.all(
    rest.map((job) => {
      const isUnseen = job.polls.length === 0;
      const isAwaited = isUnseen && hasPriority(context, job);
      return isAwaited ? followToEnd(context, job) : pollUntilRead(context, job);
    }),
  );
}

const jsonIn = jsonReader<{ body: string }>();

/** As a control parameter: a worker's own field of that name serves no queue. Spec §4.3. */
function hasPriority({ plan }: Context, { submission, workerId }: FollowedJob): boolean {
  const body = jsonIn({ body: submission.requestBody ?? "" });
  const parts = Object.values(plan.workers).filter(({ id }) => id === workerId);
  const isOwn = parts.some(({ input }) => Object.hasOwn(input, "priority"));
  return !isOwn && isObject(body) && Object.hasOwn(body, "priority");
}

/** Ours: a job is gone that is not found twice, a second apart. */
const FOUND_WITHIN_MS = 1_100;

/** Once where it is there. */
async function pollUntilRead(context: Context, job: FollowedJob): Promise<void> {
  await follow(context, job, {
    untilMs: context.world.now() + FOUND_WITHIN_MS,
    waitMs: () => FOUND_WITHIN_MS,
    isEnough: (seen) => seen !== null,
  });
}

/**
 * Waits for the jobs that nobody followed: a load that comes next reads the balance before its
 * first job, and whatever is charged afterwards would count as the load's.
 */
export async function awaitUnfollowed(context: Context): Promise<void> {
  if (context.plan.load === null) return;
  const open = context.jobs.filter(
    (job) => job.issuedId !== null && job.endSeenAtMs === null && job.gaveUpAtMs === null,
  );
  await Promise.all(open.map((job) => followToEnd(context, job)));
}

function isGivenUp(job: FollowedJob): boolean {
  return job.issuedId !== null && job.endSeenAtMs === null && job.gaveUpAtMs !== null;
}

async function isStillWaiting(context: Context, job: FollowedJob): Promise<boolean> {
  if (context.world.now() > context.deadlineAtMs) return false;
  return isWaiting((await poll(context, job))?.state);
}

/** Fresh jobs of the same worker, one at a time; then the waiting ones once more. */
async function letTurns(
  context: Context,
  known: Catalogue,
  waiting: readonly FollowedJob[],
): Promise<void> {
  const part = waiting[0]?.part ?? null;
  const submission = part === null ? null : submissionOf(context, known, part);
  await takeTurns(async () => {
    const job = submission === null ? null : await submit(context, submission);
    if (job === null) return false;
    context.jobs.push(job);
    await followToEnd(context, job);
    return job.endSeenAtMs !== null;
  });
  await Promise.all(waiting.map((job) => isStillWaiting(context, job)));
}
