/** Cancels queued, running and ended jobs of the suite's own. Spec §3.2, §4.6. */

import { jobIn } from "../../contract/decode/job.ts";
import { EFFECT_MS_MAX, judgeCancel } from "../../contract/judges/cancel/index.ts";
import { BUDGET_ENDED } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Observation } from "../../contract/run/observation.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import { cancelCandidates } from "../client/cancel-request.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import { cancelAsStranger, cancelEndedJobs, cancelWithWrongKeys } from "./cancel-ended.ts";
import { leftToWait, MethodSearch } from "./cancel-method.ts";
import type { RunningJobs } from "./cancel-running.ts";
import { cancelRunningJobs } from "./cancel-running.ts";
import { watchToEnd } from "./cancel-trial.ts";
import type { CancelsTried } from "./cancels-tried.ts";
import { knownOf, queuedTrials } from "./cancels-tried.ts";
import { listedObservation, listMeanwhile } from "./listed-jobs.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

const PROMISES = ["cancel.queued", "cancel.not-running", "cancel.not-terminal"] as const;

/** Ours: slow jobs in one burst, so that some must queue; a second one is twice as large. */
const BURST_JOBS = 12;
/** Ours: enough where only a running job is still to be met. */
const RUNNING_JOBS = 2;
/** Ours: races that are lost before the verdict is withheld. */
const TRIALS_MAX = 3;

/** Two steps of one run: ended jobs are cancelled last, once no other step waits for them. */
export function cancelSteps(): { ofOpenJobs: Step; ofEndedJobs: Step } {
  let tried: CancelsTried | null = null;
  const ofOpenJobs: Step = {
    name: "cancel: queued and running jobs",
    promises: PROMISES,
    async run(context, catalogue) {
      const without = withoutReason(context);
      if (without !== null) return nothing(without, PROMISES);
      const known = await catalogue();
      const slow = submissionOf(context, known, "slow");
      if (slow === null) return nothing(NO_SLOW_JOB, PROMISES);
      const begun = nothingTried(context);
      await tryBursts(context, { slow, success: submissionOf(context, known, "success") }, begun);
      tried = begun;
      return begun.listed;
    },
  };
  const ofEndedJobs: Step = {
    name: "cancel: ended jobs",
    promises: PROMISES,
    async run(context) {
      return tried === null ? [] : [await observationOf(context, tried)];
    },
  };
  return { ofOpenJobs, ofEndedJobs };
}

const NO_SLOW_JOB = "it takes an active key and a worker that plays the slow part";

function withoutReason({ plan, caller }: Context): string | null {
  if (cancelCandidates(plan).length === 0) return "the target file names no cancel method";
  return caller === null ? NO_SLOW_JOB : null;
}

function nothingTried({ plan }: Context): CancelsTried {
  const method = new MethodSearch(cancelCandidates(plan));
  return {
    method,
    running: [],
    late: null,
    listed: [],
    fresh: null,
    isOutOfTime: false,
    strangers: [],
  };
}

async function observationOf(context: Context, tried: CancelsTried): Promise<Observation> {
  const terminal = await cancelEndedJobs(context, tried);
  const wrongKeys = await cancelWithWrongKeys(context, tried);
  const { method, running, isOutOfTime } = tried;
  const methodUnknown = method.found() === null;
  const exhausted = context.spending.exhausted();
  const value = {
    queued: method.trials(),
    running,
    terminal,
    methodUnknown,
    exhausted,
    whyExhausted: context.spending.whyNot(BUDGET_ENDED),
    isOutOfTime,
    ...wrongKeys,
    ofWaiting: tried.strangers,
  };
  return { kind: "contract.cancel", value };
}

interface Submissions {
  slow: Submission;
  success: Submission | null;
}

async function tryBursts(context: Context, jobs: Submissions, tried: CancelsTried): Promise<void> {
  const latestMs = ownMs(context.plan.times, EFFECT_MS_MAX);
  const plain = { without: "", methodUnknown: false, methodWorks: true, latestMs };
  for (let size = BURST_JOBS, lost = 0; lost < TRIALS_MAX; lost += 1) {
    const { effectMs } = knownOf(tried);
    const holds = isDecided(judgeCancel("cancel.queued", queuedTrials(tried), plain).verdict);
    const runs = isDecided(
      judgeCancel("cancel.not-running", tried.running, { ...plain, effectMs }).verdict,
    );
    const isOver = (holds && runs) || tried.method.isOver();
    if (isOver) return;
    tried.isOutOfTime = context.world.now() > context.deadlineAtMs;
    if (tried.isOutOfTime) return;
    // A running job is met best alone, while no others use up the pace of the key.
    const room = Math.min(holds ? RUNNING_JOBS : size, context.spending.left());
    if (room < RUNNING_JOBS) return;
    await tryBurst(context, jobs, room, holds, tried);
    if (!tried.method.hasMet()) size = BURST_JOBS * 2;
  }
}

function isDecided(verdict: string): boolean {
  return verdict === "kept" || verdict === "broken";
}

/** The first jobs of a burst run, the last ones wait: both kinds are there at the same time. */
async function tryBurst(
  context: Context,
  { slow, success }: Submissions,
  size: number,
  runningOnly: boolean,
  tried: CancelsTried,
): Promise<void> {
  await context.rest(context.caller);
  const submitted = await Promise.all(Array.from({ length: size }, () => submit(context, slow)));
  const jobs = submitted
    .flatMap((job) => (job?.issuedId == null ? [] : [job]))
    .sort((a, b) => a.submission.receivedAtMs - b.submission.receivedAtMs);
  const isKnown = tried.method.found() !== null;
  // Queues may be as short as a few requests take at a slow pace: nothing comes before the first.
  const first = runningOnly ? null : await tried.method.tryFirst(context, jobs);
  if (success !== null) tried.fresh ??= await submit(context, success);
  let isOver = false;
  const listing = listMeanwhile(context, () => isOver);
  const runAll = (of: RunningJobs) => cancelRunningJobs(context, of, slow, tried);
  const searching = runningOnly ? Promise.resolve([]) : tried.method.tryOn(context, jobs, first);
  await Promise.all([
    isKnown ? runAll(firstOf(jobs)) : searching.then(() => runAll(unseenOf(jobs))),
    searching.then((chosen) => watchCancelled(context, chosen, jobs, tried)),
    runningOnly ? undefined : cancelWaited(context, jobs, tried),
    searching.then(() => cancelAsStranger(context, jobs, tried)),
  ]);
  isOver = true;
  const known = new Set(context.jobs.map(({ issuedId }) => issuedId));
  const others = [...jobs, ...(tried.fresh === null ? [] : [tried.fresh])];
  const own = [...context.jobs, ...others.filter(({ issuedId }) => !known.has(issuedId))];
  tried.listed.push(...listedObservation(await listing, own));
  // Of those that were cancelled while they ran, one: the longer lists are, the fewer jobs follow.
  const isPlain = (job: FollowedJob) =>
    job.cancelRequests.length === 0 || (job === tried.late && job.end?.state === "completed");
  context.jobs.push(...jobs.filter(isPlain).map(asUnfollowed));
}

/** The first jobs run first; the later half is cancelled while it waits. */
function firstOf(jobs: readonly FollowedJob[]): RunningJobs {
  const half = jobs.slice(0, Math.ceil(jobs.length / 2) - 1);
  return { soon: jobs.slice(0, RUNNING_JOBS), late: half[RUNNING_JOBS] };
}

/** The youngest that nobody polled: they run last, and the very last tells when all have run. */
function unseenOf(jobs: readonly FollowedJob[]): RunningJobs {
  const unseen = jobs.filter(({ polls }) => polls.length === 0).reverse();
  const [late, ...soon] = unseen.slice(1, 2 + RUNNING_JOBS);
  return { soon, late };
}

/**
 * The rest of a burst is asked for at the end of the run: nobody watches those jobs on their way,
 * but for one that waited the longest. Several may have polled it at the same time: of one that is
 * still open the first poll that saw it run is kept, from which on it has its worker's limit.
 */
function asUnfollowed(job: FollowedJob): FollowedJob {
  const isFollowed = job.end !== null && job.cancelRequests.length === 0;
  const polls = job.polls.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  const begun = job.end === null ? polls.filter(seesRunning).slice(0, 1) : [];
  return { ...job, polls: isFollowed ? polls : begun, gaveUpAtMs: null };
}

function seesRunning(poll: Exchange): boolean {
  return jobIn(poll)?.state === "running";
}

/** One more that has waited for a while by then, of those that nobody cancels while they run. */
async function cancelWaited(
  context: Context,
  jobs: readonly FollowedJob[],
  tried: CancelsTried,
): Promise<void> {
  const candidates = leftToWait(jobs)
    .slice(RUNNING_JOBS + 1)
    .reverse();
  const chosen = await tried.method.tryWaited(context, candidates);
  if (chosen !== null) await watchCancelled(context, [chosen], jobs, tried);
}

/** Those that were cancelled while they waited, until they would have run. */
async function watchCancelled(
  context: Context,
  chosen: readonly FollowedJob[],
  jobs: readonly FollowedJob[],
  { method }: CancelsTried,
): Promise<void> {
  if (method.found() === null) return;
  await Promise.all(chosen.map((job) => watchToEnd(context, job, jobs)));
  // As jobs they are judged like all others.
  context.jobs.push(
    ...chosen.map((job) => ({ ...job, part: null, expected: "cancelled" as const })),
  );
}
