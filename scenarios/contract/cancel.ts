/** Cancels queued, running and ended jobs of the suite's own. Spec §3.2, §4.6. */

import { jobIn } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import type { CancelTrial } from "../../contract/judges/cancel.ts";
import {
  cancelEffectMs,
  isUnderstood,
  judgeCancelQueued,
  judgeCancelRunning,
} from "../../contract/judges/cancel.ts";
import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import type { Observation } from "../../contract/observation.ts";
import { ownMs } from "../../contract/promised-times.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import { cancelCandidates } from "../client/cancel-request.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, isEnded, poll } from "../client/follow.ts";
import type { FollowedJob } from "../client/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import { MethodSearch } from "./cancel-method.ts";
import { pollUntilFound, sendCancel, trialOf, watchToEnd } from "./cancel-trial.ts";
import { listedObservation, listMeanwhile } from "./listed-jobs.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

const PROMISES = ["cancel.queued", "cancel.not-running", "cancel.not-terminal"] as const;

/** Ours: slow jobs in one volley, so that some must queue; a second one is twice as large. */
const VOLLEY_JOBS = 12;
/** Ours: enough where only a running job is still to be met. */
const RUNNING_JOBS = 2;
/** Ours: races that are lost before the verdict is withheld. */
const TRIALS_MAX = 3;

export const cancelStep: Step = {
  name: "cancel: queued, running, ended jobs",
  promises: PROMISES,
  async run(context, catalogue) {
    const candidates = cancelCandidates(context.plan);
    if (candidates.length === 0) {
      return nothing("the target file names no cancel method", PROMISES);
    }
    const known = await catalogue();
    const slow = submissionOf(context, known, "slow");
    if (slow === null || context.caller === null) {
      const reason = "it takes an active key and a worker that plays the slow part";
      return nothing(reason, PROMISES);
    }
    const search: Search = {
      method: new MethodSearch(candidates),
      queued: [],
      running: [],
      hasTriedLate: false,
      listed: [],
      fresh: null,
    };
    await tryVolleys(context, { slow, success: submissionOf(context, known, "success") }, search);
    const terminal = await tryTerminal(context, search);
    const { method, running, queued } = search;
    const methodUnknown = method.found() === null;
    const value = {
      queued: methodUnknown ? method.trials() : queued,
      running,
      terminal,
      methodUnknown,
      exhausted: context.spending.exhausted(),
    };
    return [{ kind: "contract.cancel", value }, ...search.listed];
  },
};

/** What was found out so far. */
interface Search {
  method: MethodSearch;
  queued: readonly CancelTrial[];
  running: CancelTrial[];
  hasTriedLate: boolean;
  /** Lists that were asked for while jobs waited and ran. */
  listed: Observation[];
  /** A short job beside the slow ones: the last that was submitted, and soon completed. */
  fresh: FollowedJob | null;
}

interface Submissions {
  slow: Submission;
  success: Submission | null;
}

/** What queued jobs tell of the request, for the judges of others. */
function knownOf({ queued }: Search) {
  return { methodWorks: isUnderstood(queued), effectMs: cancelEffectMs(queued) };
}

async function tryVolleys(context: Context, jobs: Submissions, search: Search): Promise<void> {
  const plain = { without: "", methodUnknown: false, methodWorks: true };
  for (let size = VOLLEY_JOBS, lost = 0; lost < TRIALS_MAX; lost += 1) {
    const { effectMs } = knownOf(search);
    const holds = isDecided(judgeCancelQueued(search.queued, plain).verdict);
    const runs = isDecided(judgeCancelRunning(search.running, { ...plain, effectMs }).verdict);
    const isOver = (holds && runs) || search.method.isOver();
    if (isOver || context.world.now() > context.deadlineAtMs) return;
    // A running job is met best alone, while no others use up the pace of the key.
    const room = Math.min(holds ? RUNNING_JOBS : size, context.spending.left());
    if (room < RUNNING_JOBS) return;
    await tryVolley(context, jobs, room, holds, search);
    if (search.queued.length === 0 && !search.method.hasTried()) size = VOLLEY_JOBS * 2;
  }
}

function isDecided(verdict: string): boolean {
  return verdict === "kept" || verdict === "broken";
}

/** The first jobs of a volley run, the last ones wait: both kinds are there at the same time. */
async function tryVolley(
  context: Context,
  { slow, success }: Submissions,
  size: number,
  runningOnly: boolean,
  search: Search,
): Promise<void> {
  await context.rest(context.caller);
  const submitted = await Promise.all(Array.from({ length: size }, () => submit(context, slow)));
  const jobs = submitted
    .flatMap((job) => (job?.issuedId == null ? [] : [job]))
    .sort((a, b) => a.submission.receivedAtMs - b.submission.receivedAtMs);
  if (success !== null) search.fresh ??= await submit(context, success);
  const request = search.method.found();
  let isOver = false;
  const listing = listMeanwhile(context, () => isOver);
  await Promise.all([
    ...(request === null ? [] : jobs.slice(0, RUNNING_JOBS)).map((job) =>
      cancelRunning(context, job, request, search),
    ),
    runningOnly ? undefined : cancelQueued(context, jobs, search),
  ]);
  const found = search.method.found();
  if (found !== null && search.running.length === 0) {
    const unseen = jobs.find((job) => job.polls.length === 0);
    await cancelRunning(context, unseen, found, search);
  }
  if (found !== null && !search.hasTriedLate) await cancelLate(context, slow, found, search);
  isOver = true;
  const known = new Set(context.jobs.map(({ issuedId }) => issuedId));
  const others = [...jobs, ...(search.fresh === null ? [] : [search.fresh])];
  const own = [...context.jobs, ...others.filter(({ issuedId }) => !known.has(issuedId))];
  search.listed.push(...listedObservation(await listing, own));
  context.jobs.push(...jobs.filter((job) => job.cancelRequests.length === 0).map(asUnfollowed));
}

/** The rest of a volley only tells of its submissions: nobody watches those jobs to their end. */
function asUnfollowed(job: FollowedJob): FollowedJob {
  return { ...job, polls: [], gaveUpAtMs: null };
}

/** Cancels the youngest job that still waits; searches for the request that does, if need be. */
async function cancelQueued(
  context: Context,
  jobs: readonly FollowedJob[],
  search: Search,
): Promise<void> {
  const tried = await search.method.tryOn(context, jobs);
  if (search.method.found() === null) return;
  await Promise.all(tried.map((job) => watchToEnd(context, job, jobs)));
  search.queued = search.method.trials();
  // As jobs they are judged like all others.
  context.jobs.push(
    ...tried.map((job) => ({ ...job, part: null, expected: "cancelled" as const })),
  );
}

/** Cancels the job as soon as it is seen running, and follows it to its end. */
async function cancelRunning(
  context: Context,
  job: FollowedJob | undefined,
  request: CancelRequest | null,
  search: Search,
): Promise<void> {
  if (job === undefined || request === null) return;
  const seen = await follow(context, job, {
    untilMs: context.world.now() + job.deadlineMs,
    waitMs: () => ownMs(context.plan.times, RUNNING_LOOK_MS),
    isEnough: (shown) => shown?.state === "running" || isEnded(shown),
  });
  if (seen?.state !== "running") return;
  const cancel = await sendCancel(context, job, request);
  await followEffect(context, job, cancel.sentAtMs + knownOf(search).effectMs);
  const trial = trialOf(job, cancel);
  if (trial !== null) search.running.push(trial);
}

/** Ours: of a job's run that is left when it is cancelled shortly before its end; stated time. */
const LATE_MS = 1_500;
const LATE_LOOK_MS = 200;

/**
 * Cancels one more job just before its end, which may be handled apart. When that is shows a job
 * that has run to its end.
 */
async function cancelLate(
  context: Context,
  slow: Submission,
  request: CancelRequest,
  search: Search,
): Promise<void> {
  const { world, plan } = context;
  const ranMs = runMsOf(search.running);
  const leftMs = ownMs(plan.times, LATE_MS) + knownOf(search).effectMs;
  if (ranMs === null || ranMs < 2 * leftMs || world.now() + ranMs > context.deadlineAtMs) return;
  search.hasTriedLate = true;
  const job = await submit(context, slow);
  if (job === null) return;
  const waitMs = () => ownMs(plan.times, LATE_LOOK_MS);
  const untilMs = world.now() + job.deadlineMs;
  const isBegun = (shown: Job | null) => shown?.state === "running" || isEnded(shown);
  await follow(context, job, { untilMs, waitMs, isEnough: isBegun });
  await world.delay(ranMs - leftMs);
  const seen = await poll(context, job);
  if (seen?.state !== "running") return;
  const cancel = await sendCancel(context, job, request);
  await follow(context, job, { untilMs, waitMs });
  const trial = trialOf(job, cancel);
  if (trial !== null) search.running.push(trial);
}

/** Of the jobs that completed, as they tell it. */
function runMsOf(trials: readonly CancelTrial[]): number | null {
  const ends = trials.flatMap(({ after }) => after.flatMap((each) => jobIn(each) ?? []));
  return ends.find(({ state }) => state === "completed")?.durationMs ?? null;
}

/** To its end; closely, until a cancel has had as long as one took on a queued job. */
async function followEffect(context: Context, job: FollowedJob, effectAtMs: number): Promise<void> {
  const waitMs = () => ownMs(context.plan.times, RUNNING_LOOK_MS);
  await follow(context, job, { untilMs: effectAtMs, waitMs });
  if (job.end === null) await followToEnd(context, job);
}

/** Ours: a job of the slow part runs for several of these; stated time. */
const RUNNING_LOOK_MS = 500;

/** A fresh completed job, and of each other end one that is there. */
async function tryTerminal(context: Context, search: Search): Promise<readonly CancelTrial[]> {
  const found = search.method.found();
  if (found === null) return [];
  // A view that lags shows the job still as it was before the effect.
  const shownMs = knownOf(search).effectMs + VIEW_LAG_MS;
  const completed = await completedJob(context, search);
  const jobs = [...(completed === null ? [] : [completed]), ...(await endedJobs(context))];
  const tried = jobs.map(async (job): Promise<CancelTrial | readonly CancelTrial[]> => {
    const cancel = await sendCancel(context, job, found);
    await poll(context, job);
    await context.world.delay(shownMs);
    await pollUntilFound(context, job);
    return trialOf(job, cancel) ?? [];
  });
  return (await Promise.all(tried)).flat();
}

const OTHER_ENDS = ["failed", "timeout", "cancelled"] as const;

/** Jobs that ended otherwise, as they are now. What is seen of them later may be by the cancel. */
async function endedJobs(context: Context): Promise<readonly FollowedJob[]> {
  const jobs = OTHER_ENDS.flatMap(
    (state) => context.jobs.find(({ end }) => end?.state === state) ?? [],
  );
  await Promise.all(jobs.map((job) => poll(context, job)));
  return jobs.map((job) => ({ ...job, polls: job.polls.slice(-1) }));
}

/** The fresh one; where the budget had no room, a copy of one, so that others see no cancel. */
async function completedJob(context: Context, { fresh }: Search): Promise<FollowedJob | null> {
  if (fresh !== null && fresh.issuedId !== null) {
    await followToEnd(context, fresh);
    return fresh.end?.state === "completed" ? fresh : null;
  }
  const other = context.jobs.find(({ end }) => end?.state === "completed");
  if (other === undefined) return null;
  const copy = { ...other, polls: [], cancelRequests: [] };
  await poll(context, copy);
  return copy;
}
