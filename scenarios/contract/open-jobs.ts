/**
 * Jobs that did not end while they were waited for: looks at them once more at the end of the run,
 * and lets fresh jobs take turns with those that still wait, as a queue may have any order.
 */

import { TURNS_ENOUGH } from "../../contract/judges/job/never-lost.ts";
import { stateRank } from "../../contract/states.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { FollowedJob } from "../client/followed-job.ts";
import { followToEnd, poll, submit } from "../client/jobs.ts";

export async function lookAtOpenJobs(
  context: Context,
  catalogue: () => Promise<Catalogue>,
): Promise<void> {
  if (!context.jobs.some(isGivenUp)) return;
  const open = context.jobs.filter((job) => job.issuedId !== null && job.endSeenAtMs === null);
  const looked = await Promise.all(
    open.map(async (job) => ({ job, isWaiting: await isStillWaiting(context, job) })),
  );
  const waiting = looked.filter(({ job, isWaiting }) => isWaiting && isGivenUp(job));
  for (const workerId of new Set(waiting.map(({ job }) => job.workerId))) {
    const jobs = waiting.flatMap(({ job }) => (job.workerId === workerId ? [job] : []));
    await takeTurns(context, await catalogue(), jobs);
  }
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
  const seen = await poll(context, job);
  return seen?.state != null && stateRank(seen.state) < stateRank("starting");
}

/** Fresh jobs of the same worker, one at a time; then the waiting ones once more. */
async function takeTurns(
  context: Context,
  known: Catalogue,
  waiting: readonly FollowedJob[],
): Promise<void> {
  const part = waiting[0]?.part ?? null;
  const submission = part === null ? null : submissionOf(context, known, part);
  for (let turn = 0; submission !== null && turn < TURNS_ENOUGH; turn += 1) {
    const job = await submit(context, submission);
    if (job === null) break;
    context.jobs.push(job);
    await followToEnd(context, job);
    if (job.endSeenAtMs === null) break;
  }
  await Promise.all(waiting.map((job) => isStillWaiting(context, job)));
}
