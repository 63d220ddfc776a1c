/** Submits many jobs at once and follows each to its end, closely around its worker's limit. */

import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import type { LimitBounds } from "../../contract/judges/timeout/bounds.ts";
import type { LimitedJob } from "../../contract/judges/timeout/limited-job.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Context } from "../client/context.ts";
import { advisedWaitMs, followToEnd } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import type { LagMeter } from "../host/lag.ts";

export interface WaveSetup {
  context: Context;
  bounds: LimitBounds;
  lag: LagMeter;
  /** A job whose input exceeds the limit. */
  beyond: Submission;
  /** One whose input stays below it; null where none could be made. */
  below: Submission | null;
}

/**
 * The starts of the watched jobs are polled before the others are submitted, one by one, as a
 * start-up may be over before a client with many requests under way gets to look.
 */
export async function runWave(
  setup: WaveSetup,
  counts: { beyond: number; below: number },
): Promise<{ beyond: readonly FollowedJob[]; below: readonly FollowedJob[] }> {
  const { context, beyond, below } = setup;
  const watched: Promise<readonly FollowedJob[]>[] = [];
  const startsUntilMs = context.world.now() + ownMs(context.plan.times, START_MS);
  while (watched.length < Math.min(WATCHED_JOBS, counts.beyond)) {
    const started = new Promise<void>((resolve) => {
      watched.push(run(setup, beyond, resolve));
    });
    await Promise.race([
      started,
      context.world.delay(Math.max(0, startsUntilMs - context.world.now())),
    ]);
  }
  const runMany = (submission: Submission, count: number) =>
    Array.from({ length: count }, () => run(setup, submission, null));
  const [first, second] = await Promise.all([
    Promise.all([...watched, ...runMany(beyond, counts.beyond - watched.length)]),
    Promise.all(below === null ? [] : runMany(below, counts.below)),
  ]);
  return { beyond: first.flat(), below: second.flat() };
}

/** `onStarted` is called once a watched job waits no more, or is gone; null watches no start. */
async function run(
  setup: WaveSetup,
  submission: Submission,
  onStarted: (() => void) | null,
): Promise<readonly FollowedJob[]> {
  const job = await submit(setup.context, submission);
  if (job !== null) {
    setup.context.jobs.push(job);
    await followClosely(setup, job, onStarted);
  }
  onStarted?.();
  return job === null ? [] : [job];
}

/** The jobs as judges read them: without our notes, and with the lag that their ends may meet. */
export function limitedJobs(
  { bounds, lag }: WaveSetup,
  jobs: readonly FollowedJob[],
): readonly LimitedJob[] {
  const earlyMs = lag.typical();
  return jobs.map((job) => {
    const { submission, issuedId, workerId, polls, cancelRequests } = job;
    const { expected, gaveUpAtMs, deadlineMs, lostAfterMs = null } = job;
    const seen = { submission, issuedId, workerId, polls, cancelRequests };
    const fromMs = submission.sentAtMs + bounds.limitMs;
    const lateMs = lag.between(fromMs, job.endSeenAtMs ?? fromMs);
    const history = { ...seen, expected, gaveUpAtMs, deadlineMs, lostAfterMs };
    return { history, lag: { earlyMs, lateMs } };
  });
}

/** Ours: jobs that are asked for as often as the key allows, at their start and at their end. */
const WATCHED_JOBS = 5;
/** Ours: stated time between two polls of a watched job. */
const WATCHED_POLL_MS = 100;
/** Ours: how long a watched start is worth watching, stated; then the job is in a queue. */
const START_MS = 5_000;
/** Ours: share of the lateness allowed after which the others are asked again at the latest. */
const END_POLL_SHARE = 0.5;
/**
 * Ours: so many early tolerances before its limit a job's end is looked for, and so many lie
 * between two polls of the others: what was seen between them tells as much as stated times do.
 */
const EARLY_TOLERANCES = 2;

async function followClosely(
  setup: WaveSetup,
  job: FollowedJob,
  onStarted: (() => void) | null,
): Promise<void> {
  const { context } = setup;
  const { world } = context;
  const isWatched = onStarted !== null;
  let view: View = { isWatched, notRunningAtMs: job.submission.sentAtMs, isRunning: false };
  let askedAtMs = world.now();
  await followToEnd(context, job, {
    waitMs(seen) {
      if (seen?.state === "running") {
        onStarted?.();
        view = { ...view, isRunning: true };
      } else if (!view.isRunning) {
        view = { ...view, notRunningAtMs: job.polls.at(-1)?.sentAtMs ?? askedAtMs };
      }
      // A poll that had to wait long for its turn says that the key has no room for more.
      const backOffMs = isWatched ? 0 : world.now() - askedAtMs;
      const ms = Math.max(backOffMs, waitMs(setup, job, view));
      askedAtMs = world.now() + ms;
      return ms;
    },
  });
}

interface View {
  isWatched: boolean;
  isRunning: boolean;
  /** When it was last asked for before it was seen to run. */
  notRunningAtMs: number;
}

/** The advised pace, but not past the moment from which the end may come; then more densely. */
function waitMs({ context, bounds }: WaveSetup, job: FollowedJob, view: View): number {
  const { times } = context.plan;
  const nowMs = context.world.now();
  const elapsedMs = nowMs - job.submission.sentAtMs;
  const advisedMs = advisedWaitMs(context, job);
  const watchedMs = ownMs(times, WATCHED_POLL_MS);
  if (!view.isRunning) {
    const isStarting = view.isWatched && elapsedMs < ownMs(times, START_MS);
    return isStarting ? watchedMs : advisedMs;
  }
  const apartMs = EARLY_TOLERANCES * bounds.earlyMs;
  const denseFromMs = startedAfterMs(job, view) + bounds.limitMs - apartMs;
  const isOverdue = nowMs > denseFromMs + bounds.limitMs + 2 * bounds.lateMs;
  if (isOverdue) return advisedMs;
  if (nowMs < denseFromMs) return Math.min(advisedMs, denseFromMs - nowMs);
  return view.isWatched ? watchedMs : Math.min(bounds.lateMs * END_POLL_SHARE, apartMs);
}

/** A view that is kept hides a start for as long; only watched jobs are polled that much longer. */
function startedAfterMs({ submission }: FollowedJob, { isWatched, notRunningAtMs }: View): number {
  const lagMs = isWatched ? VIEW_LAG_MS : 0;
  return Math.max(submission.sentAtMs, notRunningAtMs - lagMs);
}
