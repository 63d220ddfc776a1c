/** Cancels a queued, a running and an ended job of the suite's own. Spec §3.2, §4.6. */

import type { Job } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { CancelTrial } from "../../contract/judges/cancel.ts";
import {
  isUnderstood,
  judgeCancelQueued,
  judgeCancelRunning,
  judgeCancelTerminal,
} from "../../contract/judges/cancel.ts";
import type { State } from "../../contract/states.ts";
import { isTerminal } from "../../contract/states.ts";
import { unobserved } from "../../contract/verdict.ts";
import type { CancelRequest } from "./cancel-request.ts";
import { cancelCall, cancelCandidates, describeCancel } from "./cancel-request.ts";
import { submissionOf } from "./catalogue.ts";
import type { Context } from "./context.ts";
import type { FollowedJob } from "./followed-job.ts";
import type { Submission } from "./jobs.ts";
import { followToEnd, poll, submit } from "./jobs.ts";
import type { Step } from "./step.ts";

const PROMISES = ["cancel.queued", "cancel.not-running", "cancel.not-terminal"] as const;

/** Ours: slow jobs in one volley, so that some must queue; a second one is twice as large. */
const VOLLEY_JOBS = 12;
/** Ours: enough where only a running job is still to be met. */
const RUNNING_JOBS = 2;
/** Ours: races that are lost before the verdict is withheld. */
const TRIALS_MAX = 3;
/** Ours: in which a cancel shows, on the target's clocks. */
const EFFECT_LAG_MS = 300;
/** Ours: longer than a service's parts differ for, and how often it is asked meanwhile. */
const FOUND_WITHIN_MS = 2_000;
const FOUND_LOOK_MS = 100;
/** Ours: when an ended job is looked at again after its cancel request. */
const LATER_LOOK_MS = 400;

export const cancelStep: Step = {
  name: "cancel: a queued, a running, an ended job",
  promises: PROMISES,
  async run(context, catalogue) {
    const candidates = cancelCandidates(context.plan);
    if (candidates.length === 0) {
      const reason = "the target file names no cancel method";
      return PROMISES.map((promise) => unobserved(promise, reason));
    }
    const known = await catalogue();
    const slow = submissionOf(context, known, "slow");
    if (slow === null || context.caller === null) {
      const reason = "it takes an active key and a worker that plays the slow part";
      return PROMISES.map((promise) => unobserved(promise, reason));
    }
    const search = newSearch(candidates);
    await tryVolleys(context, slow, search);
    const terminal = await tryTerminal(context, submissionOf(context, known, "success"), search);
    return judgeAll(context, search, terminal);
  },
};

/** What was found out so far. */
interface Search {
  candidates: readonly CancelRequest[];
  /** Index of the candidate to try next. */
  next: number;
  found: CancelRequest | null;
  queued: CancelTrial[];
  running: CancelTrial[];
}

function newSearch(candidates: readonly CancelRequest[]): Search {
  const only = candidates.length === 1 ? (candidates[0] ?? null) : null;
  return { candidates, next: 0, found: only, queued: [], running: [] };
}

function judgeAll(context: Context, search: Search, terminal: readonly CancelTrial[]) {
  const exhausted = context.spending.exhausted() ? "; the budget has no room for more jobs" : "";
  const methodUnknown = search.found === null;
  const methodWorks = isUnderstood(search.queued);
  const unknown = "none of the requests tried cancelled a queued job";
  return [
    judgeCancelQueued(search.queued, {
      without: `no job was seen queued: the slow jobs all ran at once${exhausted}`,
      methodUnknown,
      methodWorks,
    }),
    judgeCancelRunning(search.running, {
      without: methodUnknown ? unknown : `no job was seen running${exhausted}`,
      methodUnknown,
      methodWorks,
    }),
    judgeCancelTerminal(terminal, {
      without: methodUnknown ? unknown : `no completed job was there to be cancelled${exhausted}`,
      methodUnknown,
      methodWorks,
    }),
  ];
}

async function tryVolleys(context: Context, slow: Submission, search: Search): Promise<void> {
  for (let size = VOLLEY_JOBS, lost = 0; lost < TRIALS_MAX; lost += 1) {
    const holds = isDecided(judgeCancelQueued(search.queued, PLAIN).verdict);
    const runs = isDecided(judgeCancelRunning(search.running, PLAIN).verdict);
    const isOver = holds && (runs || search.found === null);
    if (isOver || context.world.now() > context.deadlineAtMs) return;
    // A running job is met best alone, while no others use up the pace of the key.
    const room = Math.min(holds ? RUNNING_JOBS : size, context.spending.left());
    if (room < RUNNING_JOBS) return;
    await tryVolley(context, slow, room, holds, search);
    if (search.queued.length === 0) size = VOLLEY_JOBS * 2;
  }
}

const PLAIN = { without: "", methodUnknown: false, methodWorks: true };

function isDecided(verdict: string): boolean {
  return verdict === "kept" || verdict === "broken";
}

/** The first jobs of a volley run, the last ones wait: both kinds are there at the same time. */
async function tryVolley(
  context: Context,
  slow: Submission,
  size: number,
  runningOnly: boolean,
  search: Search,
): Promise<void> {
  await context.rest(context.caller);
  const submitted = await Promise.all(Array.from({ length: size }, () => submit(context, slow)));
  const jobs = submitted
    .flatMap((job) => (job?.issuedId == null ? [] : [job]))
    .sort((a, b) => a.submission.receivedAtMs - b.submission.receivedAtMs);
  await Promise.all([
    search.found === null ? undefined : cancelRunning(context, jobs[0], search.found, search),
    runningOnly ? undefined : cancelQueued(context, jobs, search),
  ]);
  if (search.found !== null && search.running.length === 0) {
    await cancelRunning(
      context,
      jobs.find((job) => job.polls.length === 0),
      search.found,
      search,
    );
  }
  context.jobs.push(...jobs.filter((job) => job.cancelRequests.length === 0).map(asUnfollowed));
}

/** The rest of a volley only tells of its submissions: nobody watches those jobs to their end. */
function asUnfollowed(job: FollowedJob): FollowedJob {
  return { ...job, polls: [], gaveUpAtMs: null };
}

/** Tries the requests in turn on the youngest job that still waits. */
async function cancelQueued(
  context: Context,
  jobs: readonly FollowedJob[],
  search: Search,
): Promise<void> {
  const job = jobs.at(-1);
  if (job === undefined) return;
  for (;;) {
    const request = search.found ?? search.candidates[search.next];
    const seen = await pollUntilFound(context, job);
    const before = job.polls.at(-1);
    if (request === undefined || before === undefined || !isWaiting(seen?.state)) return;
    const cancel = await sendCancel(context, job, request);
    // While the request is searched for, one that works late must not be taken for the next.
    if (search.found === null) await context.world.delay(EFFECT_LAG_MS * context.plan.timeScale);
    const after = await poll(context, job);
    const isDone = search.found !== null || after?.state === "cancelled";
    if (!isDone && search.next + 1 < search.candidates.length) {
      search.next += 1;
      continue;
    }
    if (after?.state === "cancelled" && search.found === null) {
      search.found = request;
      context.note(`cancel is ${describeCancel(request)}`);
    }
    await watchToEnd(context, job, jobs);
    const from = job.polls.indexOf(before) + 1;
    search.queued.push(trialOf(job, before, cancel, job.polls.slice(from)));
    return;
  }
}

/** An identifier may be known everywhere only some time after it was issued. */
async function pollUntilFound(context: Context, job: FollowedJob): Promise<Job | null> {
  const untilMs = Math.min(context.world.now() + FOUND_WITHIN_MS, context.deadlineAtMs);
  for (;;) {
    const seen = await poll(context, job);
    if (seen !== null || context.world.now() > untilMs) return seen;
    await context.world.delay(FOUND_LOOK_MS);
  }
}

function isWaiting(state: State | null | undefined): boolean {
  return state === "queued" || state === "accepted";
}

function trialOf(
  job: FollowedJob,
  before: Exchange,
  cancel: Exchange,
  polls: readonly Exchange[],
): CancelTrial {
  const after = polls.filter(({ sentAtMs }) => sentAtMs >= cancel.receivedAtMs);
  return { jobId: job.issuedId ?? "", before, cancel, after };
}

async function sendCancel(
  context: Context,
  job: FollowedJob,
  request: CancelRequest,
): Promise<Exchange> {
  const cancel = await context.ask(cancelCall(request, job.issuedId ?? "", context.caller));
  job.cancelRequests.push(cancel);
  return cancel;
}

/** Until the job would have run: those that were before it in the queue have ended by then. */
async function watchToEnd(
  context: Context,
  job: FollowedJob,
  jobs: readonly FollowedJob[],
): Promise<void> {
  const before = jobs.filter((each) => each !== job && each.cancelRequests.length === 0).at(-1);
  const startedMs = context.world.now();
  await Promise.all([
    before === undefined ? undefined : followToEnd(context, before),
    followToEnd(context, job),
  ]);
  const runMs = before?.end?.durationMs ?? context.world.now() - startedMs;
  await poll(context, job);
  await context.world.delay(Math.min(runMs, context.deadlineAtMs - context.world.now()));
  await poll(context, job);
}

/** Cancels the job as soon as it is seen running, and follows it to its end. */
async function cancelRunning(
  context: Context,
  job: FollowedJob | undefined,
  request: CancelRequest,
  search: Search,
): Promise<void> {
  if (job === undefined) return;
  const untilMs = Math.min(context.world.now() + job.deadlineMs, context.deadlineAtMs);
  const { timeScale } = context.plan;
  while (context.world.now() < untilMs) {
    const seen = await poll(context, job);
    const before = job.polls.at(-1);
    if (seen?.state != null && isTerminal(seen.state)) return;
    if (seen?.state === "running" && before !== undefined) {
      const cancel = await sendCancel(context, job, request);
      const from = job.polls.length;
      await followToEnd(context, job);
      search.running.push(trialOf(job, before, cancel, job.polls.slice(from)));
      return;
    }
    await context.world.delay(RUNNING_LOOK_MS * timeScale);
  }
}

/** Ours: a job of the slow part runs for several of these; on the target's clocks. */
const RUNNING_LOOK_MS = 500;

async function tryTerminal(
  context: Context,
  success: Submission | null,
  search: Search,
): Promise<readonly CancelTrial[]> {
  if (search.found === null) return [];
  const job = await completedJob(context, success);
  const before = job?.polls.at(-1);
  if (job === null || before === undefined) return [];
  const cancel = await sendCancel(context, job, search.found);
  const from = job.polls.length;
  await poll(context, job);
  await context.world.delay(LATER_LOOK_MS);
  await poll(context, job);
  return [trialOf(job, before, cancel, job.polls.slice(from))];
}

/** A job of its own; where the budget has no room, a copy of one, so that others see no cancel. */
async function completedJob(
  context: Context,
  success: Submission | null,
): Promise<FollowedJob | null> {
  const own = success === null ? null : await submit(context, success);
  if (own !== null && own.issuedId !== null) {
    await followToEnd(context, own);
    return own.end?.state === "completed" ? own : null;
  }
  const other = context.jobs.find(({ end }) => end?.state === "completed");
  if (other === undefined) return null;
  const copy = { ...other, polls: [], cancelRequests: [] };
  await poll(context, copy);
  return copy;
}
