/** Finds the request that cancels, by trying on queued jobs of the suite's own. Spec §4.6. */

import { jobIn } from "../../contract/decode/job.ts";
import type { CancelTrial } from "../../contract/judges/cancel/cancel-trial.ts";
import { isOtherMethod } from "../../contract/judges/cancel/index.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isWaiting } from "../../contract/states.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import { describeCancel } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Attempt, Wanted } from "./cancel-search.ts";
import { isAlone, isRuledOut, methodFound, onlyRequest, wantedRequests } from "./cancel-search.ts";
import { pollUntilFound, sendCancel, sendCancelOfKnown, trialOf } from "./cancel-trial.ts";

/** Ours: stated time from one request to the next, as none need be sent after one that works. */
const EFFECT_LAG_MS = 300;

/** What was sent to one job. */
export interface Try {
  job: FollowedJob;
  /** The last request that may have had an effect. */
  cancel: Exchange | null;
  requests: { request: CancelRequest; status: number }[];
}

export class MethodSearch {
  private readonly candidates: readonly CancelRequest[];
  /** The one that was told, so that none is searched for. */
  private readonly told: CancelRequest | null;
  private readonly tries: Try[] = [];

  constructor(candidates: readonly CancelRequest[]) {
    this.candidates = candidates;
    this.told = candidates.length === 1 ? (candidates[0] ?? null) : null;
  }

  /** The request that cancels; null while nobody knows. */
  found(): CancelRequest | null {
    return this.told ?? methodFound(this.candidates, this.tries.map(attemptOf));
  }

  /** Whether a request met a job that surely waited: a view that lags shows others waiting, too. */
  hasMet(): boolean {
    return this.tries.some((each) => attemptOf(each).outcome !== "raced");
  }

  /** True when all requests were tried in vain. */
  isOver(): boolean {
    return this.found() === null && this.wanted().requests.length === 0;
  }

  /** What the request did that was found, on jobs that saw no other; the last try, if none was. */
  trials(): readonly CancelTrial[] {
    const tries = this.found() === null ? touched(this.tries).slice(-1) : this.telling();
    return tries.flatMap(({ job, cancel }) => {
      const sent = cancel ?? job.cancelRequests.at(-1);
      return sent === undefined ? [] : (trialOf(job, sent) ?? []);
    });
  }

  /** Cancels the youngest alone; null: it waits no more, or nobody knows how. */
  async tryFirst(context: Context, jobs: readonly FollowedJob[]): Promise<Try | null> {
    const request = this.found();
    return request === null ? null : tryKnown(context, lastOf(jobs).slice(-1), request);
  }

  /**
   * Cancels a job that waits, the youngest first; while nobody knows how, tries on others until
   * the request is found or none of them waits. Returns the jobs that the trials are of.
   */
  async tryOn(
    context: Context,
    jobs: readonly FollowedJob[],
    first: Try | null,
  ): Promise<readonly FollowedJob[]> {
    const request = this.found();
    if (request !== null) {
      const others = await cancelLast(context, jobs, request);
      const tries = first === null ? others : [first, ...others];
      this.tries.push(...tries);
      return tries.map(({ job }) => job);
    }
    await this.search(context, jobs);
    const own = this.telling().map(({ job }) => job);
    return own.filter((job) => jobs.includes(job));
  }

  /** Cancels one that has waited for a while; null: none waits any more, or nobody knows how. */
  async tryWaited(context: Context, jobs: readonly FollowedJob[]): Promise<FollowedJob | null> {
    if (this.told === null || jobs.length === 0) return null;
    await context.world.delay(ownMs(context.plan.times, WAITED_MS));
    const each = await tryKnown(context, jobs, this.told);
    if (each !== null) this.tries.push(each);
    return each?.job ?? null;
  }

  private async search(context: Context, jobs: readonly FollowedJob[]): Promise<void> {
    while (this.found() === null && !this.isOver() && context.world.now() < context.deadlineAtMs) {
      const wanted = this.wanted();
      const fresh = jobs.filter((job) => job.cancelRequests.length === 0).reverse();
      // The youngest waits longest: on it is confirmed what the others tell.
      const chosen = wanted.alone || fresh.length < 2 ? fresh : fresh.slice(1);
      let round = await tryInTurn(context, chosen, wanted);
      if (round.length === 0) round = await tryInTurn(context, fresh.slice(0, 1), wanted);
      if (round.length === 0) return;
      this.tries.push(...round);
    }
    const found = this.found();
    if (found === null) return;
    const isOnly = onlyRequest(this.candidates, this.tries.map(attemptOf)) !== null;
    context.note(`cancel ${isOnly ? "can only be" : "is"} ${describeCancel(found)}`);
  }

  /** Tries that show what the request does, and nothing else. */
  private telling(): readonly Try[] {
    const found = this.found();
    if (found === null || this.told !== null) return found === null ? [] : this.tries;
    return this.tries.filter((each) => isAlone(attemptOf(each), found));
  }

  private wanted(): Wanted {
    return wantedRequests(this.candidates, this.tries.map(attemptOf));
  }
}

function attemptOf({ job, cancel, requests }: Try): Attempt {
  if (job.end?.state === "cancelled") return { requests, outcome: "cancelled" };
  const next = cancel === null ? undefined : trialOf(job, cancel)?.after[0];
  const isSeen = isWaiting(jobIn(next)?.state);
  return { requests, outcome: isSeen ? "survived" : "raced" };
}

/** Ours: of a burst so many are cancelled, and the others show that jobs still run. */
const CANCELLED_JOBS = 4;

/**
 * Ours: stated time that one more job has waited by its cancel, as a dispatcher may have fetched it
 * by then that still shows it queued; by far less than it waits for the slow jobs before it.
 */
const WAITED_MS = 3_000;

/** The youngest jobs are the last to run; one that is alone runs first. */
function lastOf(jobs: readonly FollowedJob[]): readonly FollowedJob[] {
  return jobs.slice(Math.ceil(jobs.length / 2)).slice(-CANCELLED_JOBS);
}

/**
 * All of these but the very youngest, which was tried before. One after the other: at a slow pace
 * the requests of several would hold up each one's cancel until its job runs.
 */
async function cancelLast(
  context: Context,
  jobs: readonly FollowedJob[],
  request: CancelRequest,
): Promise<readonly Try[]> {
  const tries: Try[] = [];
  for (const job of lastOf(jobs).slice(0, -1).reverse()) {
    const each = await tryKnown(context, [job], request);
    if (each !== null) tries.push(each);
  }
  return tries;
}

/** Those that are not cancelled at once, without the youngest, which tells when all have run. */
export function leftToWait(jobs: readonly FollowedJob[]): readonly FollowedJob[] {
  return jobs.slice(0, -(CANCELLED_JOBS + 1));
}

/** Cancels the first that waits still; null: none does. */
async function tryKnown(
  context: Context,
  jobs: readonly FollowedJob[],
  request: CancelRequest,
): Promise<Try | null> {
  const each = await nextTry(context, [...jobs], [], true);
  if (each === null) return null;
  each.cancel = await sendCancelOfKnown(context, each.job, request);
  each.requests.push({ request, status: each.cancel.status });
  await poll(context, each.job);
  return each;
}

/** One request after the other, each on a job of its own as long as there are such. */
async function tryInTurn(
  context: Context,
  fresh: FollowedJob[],
  wanted: Wanted,
): Promise<readonly Try[]> {
  const tries: Try[] = [];
  for (const request of wanted.requests) {
    if (isRuledOut(request.method, tries)) continue;
    const each = await nextTry(context, fresh, tries, wanted.alone);
    if (each === null) break;
    const exchange = await sendCancel(context, each.job, request);
    each.requests.push({ request, status: exchange.status });
    if (isOtherMethod(exchange)) continue;
    each.cancel = exchange;
    await context.world.delay(ownMs(context.plan.times, EFFECT_LAG_MS));
    await pollAll(context, touched(tries));
    if (tries.some(isCancelled)) break;
  }
  await awaitEffect(context, tries);
  return tries;
}

/** A job that waits still; one that may have been cancelled already only where no other is left. */
async function nextTry(
  context: Context,
  fresh: FollowedJob[],
  tries: Try[],
  alone: boolean,
): Promise<Try | null> {
  const untouched = tries.filter(({ cancel }) => cancel === null);
  for (const each of untouched) if (await isStillWaiting(context, each)) return each;
  for (let job = fresh.shift(); job !== undefined; job = fresh.shift()) {
    const seen = await pollUntilFound(context, job);
    if (!isWaiting(seen?.state)) continue;
    const made: Try = { job, cancel: null, requests: [] };
    tries.push(made);
    return made;
  }
  for (const each of alone ? [] : byRequests(touched(tries))) {
    if (await isStillWaiting(context, each)) return each;
  }
  return null;
}

function byRequests(tries: readonly Try[]): readonly Try[] {
  return [...tries].sort((a, b) => a.requests.length - b.requests.length);
}

async function isStillWaiting(context: Context, each: Try): Promise<boolean> {
  return isWaiting((await poll(context, each.job))?.state);
}

/** Until one of the jobs is cancelled, however late that is, or all have ended otherwise. */
async function awaitEffect(context: Context, tries: readonly Try[]): Promise<void> {
  const waitsMs = tries.map(({ job }) => job.submission.receivedAtMs + job.deadlineMs);
  const untilMs = Math.min(context.deadlineAtMs, ...waitsMs);
  const watched = touched(tries);
  while (!tries.some(isCancelled) && context.world.now() < untilMs) {
    if (watched.every(({ job }) => job.end !== null)) return;
    await context.world.delay(ownMs(context.plan.times, EFFECT_LAG_MS));
    await pollAll(context, watched);
  }
}

async function pollAll(context: Context, tries: readonly Try[]): Promise<void> {
  const open = tries.filter(({ job }) => job.end === null);
  await Promise.all(open.map(({ job }) => poll(context, job)));
}

/** Those whose job may have been affected; all, where the service has none of the methods. */
function touched(tries: readonly Try[]): readonly Try[] {
  const some = tries.filter(({ cancel }) => cancel !== null);
  return some.length > 0 ? some : tries;
}

function isCancelled({ job }: Try): boolean {
  return job.end?.state === "cancelled";
}
