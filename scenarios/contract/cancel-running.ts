/** Cancels jobs that run: soon after their start, and shortly before their end. Spec §3.2. */

import { jobIn } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, isEnded, poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import { sendCancel, trialOf } from "./cancel-trial.ts";
import type { CancelsTried } from "./cancels-tried.ts";
import { knownOf } from "./cancels-tried.ts";

/** Of slow jobs that were just submitted. */
export interface RunningJobs {
  /** To be cancelled as soon as they run. */
  soon: readonly FollowedJob[];
  /** To be cancelled shortly before its end, where it is known how long such a job runs. */
  late: FollowedJob | undefined;
}

/** Does nothing where no request is known. */
export async function cancelRunningJobs(
  context: Context,
  { soon, late }: RunningJobs,
  slow: Submission,
  tried: CancelsTried,
): Promise<void> {
  const request = tried.method.found();
  if (request === null) return;
  await Promise.all([
    ...soon.map((job) => cancelRunning(context, job, request, tried)),
    late === undefined ? undefined : cancelLate(context, async () => late, request, tried),
  ]);
  await cancelLate(context, () => submit(context, slow), request, tried);
}

/** Ours: a job of the slow part runs for several of these; stated time. */
const RUNNING_POLL_MS = 500;

/** Cancels the job as soon as it is seen running, and follows it to its end. */
async function cancelRunning(
  context: Context,
  job: FollowedJob,
  request: CancelRequest,
  tried: CancelsTried,
): Promise<void> {
  const waitMs = () => ownMs(context.plan.times, RUNNING_POLL_MS);
  const untilMs = context.world.now() + job.deadlineMs;
  const seen = await follow(context, job, { untilMs, waitMs, isEnough: hasBegun });
  if (seen?.state !== "running") return;
  const cancel = await sendCancel(context, job, request);
  // Closely, until a cancel has had as long as one took on a queued job.
  await follow(context, job, { untilMs: cancel.sentAtMs + knownOf(tried).effectMs, waitMs });
  if (job.end === null) await followToEnd(context, job);
  const trial = trialOf(job, cancel);
  if (trial !== null) tried.running.push(trial);
}

function hasBegun(shown: Job | null): boolean {
  return shown?.state === "running" || isEnded(shown);
}

/** Ours: of a job's run that is left when it is cancelled shortly before its end; stated time. */
const LATE_MS = 1_500;
const LATE_POLL_MS = 200;
/** Ours: of that, what may be unknown of the start. */
const START_SHARE = 0.5;

/**
 * Cancels one more job just before its end, which may be handled apart. When that is tells a job
 * that has run to its end.
 */
async function cancelLate(
  context: Context,
  take: () => Promise<FollowedJob | null>,
  request: CancelRequest,
  tried: CancelsTried,
): Promise<void> {
  const { world, plan } = context;
  const ranMs = runMsOf(context, tried);
  const lateMs = ownMs(plan.times, LATE_MS);
  const leftMs = () => lateMs + knownOf(tried).effectMs;
  const hasTime = () => ranMs !== null && ranMs >= 2 * leftMs();
  if (tried.late !== null || ranMs === null || !hasTime()) return;
  if (world.now() + ranMs > context.deadlineAtMs) return;
  const job = await take();
  if (job === null) return;
  const waitMs = () => ownMs(plan.times, LATE_POLL_MS);
  const untilMs = world.now() + job.deadlineMs;
  await follow(context, job, { untilMs, waitMs, isEnough: hasBegun });
  if (startUnknownMs(job) > lateMs * START_SHARE) return;
  await world.delay(ranMs / 2);
  // By now a cancelled job that waited has told how long a cancel takes.
  if (!hasTime()) return;
  await world.delay(ranMs / 2 - leftMs());
  tried.late = job;
  const seen = await poll(context, job);
  if (seen?.state !== "running") return;
  const cancel = await sendCancel(context, job, request);
  await follow(context, job, { untilMs, waitMs });
  const trial = trialOf(job, cancel);
  if (trial !== null) tried.running.push(trial);
}

/** For how long before it was seen running nobody had polled the job. */
function startUnknownMs({ submission, polls }: FollowedJob): number {
  const [before = submission, seen = submission] = [polls.at(-2), polls.at(-1)];
  return seen.receivedAtMs - before.receivedAtMs;
}

/** Of a slow job that completed, as it tells it. */
function runMsOf({ jobs }: Context, { running }: CancelsTried): number | null {
  const after = running.flatMap((trial) => trial.after.flatMap((each) => jobIn(each) ?? []));
  const slow = jobs.flatMap(({ part, end }) => (part === "slow" && end !== null ? end : []));
  const ends = [...after, ...slow];
  return ends.find(({ state }) => state === "completed")?.durationMs ?? null;
}
