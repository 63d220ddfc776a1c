/** Looks at a job until its end is seen or its deadline has passed. */

import { decodeJob } from "../../contract/decode/job.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { nap } from "../clock.ts";
import { isShutOut } from "../outcome.ts";
import { stampsOf } from "../tracker/observation.ts";
import { nextLookMs } from "../tracker/placement.ts";
import { endOf } from "../tracker/tracker.ts";
import type { Parts, Run } from "./run.ts";
import { deadlineAtMs, submittedAtMs, takeIn } from "./run.ts";

/** Ours: the last look is early enough for its answer to be there by the deadline. */
const LAST_LOOK_MS = 500;
/** Ours: waits after looks that failed, growing by the factor, so that no outage is hammered. */
const BACKOFF_MS = 500;
const BACKOFF_FACTOR = 2;
const BACKOFF_MS_MAX = 30_000;
/** Ours: an answer that takes longer than this is asked for again. */
const LOOK_TIMEOUT_MS = 10_000;

/** The answer that showed the end; null when the deadline passed or the probe stops. */
export async function follow(parts: Parts, run: Run): Promise<Exchange | null> {
  let failures = 0;
  while (!parts.signal.aborted) {
    const dueMs = nextDueMs(parts, run, failures);
    if (dueMs === null) return null;
    if (!(await waitForLook(parts, run, dueMs))) return null;
    const poll = await look(parts, run);
    if (poll === null) return null;
    const isSeen = takeLook(parts, run, poll);
    if (isSeen && endOf(run.track) !== null) return poll;
    failures = isSeen ? 0 : failures + 1;
    if (isShutOut(run.polls, parts.client.pausedUntilMs, deadlineAtMs(run))) return null;
  }
  return null;
}

/**
 * When to look next: at once after a delivery, otherwise where the end is likely. Looks that failed
 * count as well; when all are used up there is one more at the deadline, as its verdict needs one.
 */
function nextDueMs(parts: Parts, run: Run, failures: number): number | null {
  const nowMs = parts.clock.nowMs();
  const startMs = submittedAtMs(run);
  const lastMs = deadlineAtMs(run) - Math.min(LAST_LOOK_MS, run.intent.deadlineMs / 10);
  // A job of an earlier process is looked at even when its deadline passed meanwhile.
  if (run.resumed && run.looks === 0) return nowMs;
  // A probe that stood still over the deadline must look before it says that the job was late.
  if (nowMs >= lastMs) return (run.polls.at(-1)?.sentAtMs ?? 0) >= lastMs ? null : nowMs;
  const { requestsPerJob, knowledge, client } = parts;
  const looksLeft = requestsPerJob - run.looks;
  if (failures === 0 && hasNews(run) && looksLeft >= 0) return nowMs;
  const plan = knowledge.lookPlan(run.intent.canary, lastMs - startMs, requestsPerJob);
  const plannedMs = startMs + nextLookMs(plan, nowMs - startMs, looksLeft);
  if (failures === 0) return plannedMs;
  const waitMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * BACKOFF_FACTOR ** (failures - 1));
  return Math.min(lastMs, Math.max(plannedMs, nowMs + waitMs, client.pausedUntilMs));
}

/** Whether a delivery arrived since the last look: it is confirmed by one. */
function hasNews(run: Run): boolean {
  const delivery = run.deliveries.at(-1);
  const last = run.polls.at(-1);
  return delivery !== undefined && (last === undefined || last.sentAtMs < delivery.arrivedAtMs);
}

/** False when the probe stops. A delivery ends the wait. */
async function waitForLook(parts: Parts, run: Run, dueMs: number): Promise<boolean> {
  const { over, wake } = nap(parts.clock, dueMs, parts.signal);
  // A delivery brings a look forward, but none that the budget does not have.
  if (run.looks <= parts.requestsPerJob) run.wake = wake;
  await over;
  run.wake = () => {};
  return !parts.signal.aborted;
}

async function look(parts: Parts, run: Run): Promise<Exchange | null> {
  const deadlineMs = Math.max(deadlineAtMs(run), parts.clock.nowMs() + LAST_LOOK_MS);
  const request = { route: "job", parameter: run.jobId ?? "" } as const;
  const timeoutMs = Math.min(LOOK_TIMEOUT_MS, deadlineMs - parts.clock.nowMs());
  const poll = await parts.client.send({ ...request, timeoutMs }, deadlineMs, parts.signal);
  if (poll !== null) takePoll(run, poll);
  return poll;
}

/** Of answers that say the same one after the other the first and the last tell all. */
function takePoll(run: Run, poll: Exchange): void {
  run.looks += 1;
  const [before, last] = run.polls.slice(-2);
  const says = (each: Exchange | undefined) => each !== undefined && saysTheSame(each, poll);
  if (says(before) && says(last)) run.polls.pop();
  run.polls.push(poll);
}

function saysTheSame(a: Exchange, b: Exchange): boolean {
  return a.status === b.status && a.error === b.error && a.body === b.body;
}

/** False when the answer shows no state of this job. */
export function takeLook(parts: Parts, run: Run, poll: Exchange): boolean {
  const job = isSuccess(poll) ? shownBy(run, poll) : null;
  if (job === null || job.state === null) return false;
  if (job.id !== null && job.id !== run.jobId) return false;
  const { sentAtMs, receivedAtMs } = poll;
  const stamps = stampsOf(job);
  takeIn(parts, run, { kind: "poll", sentAtMs, receivedAtMs, state: job.state, stamps });
  return endOf(run.track) !== null || run.track.looks.at(-1)?.sentAtMs === sentAtMs;
}

/** A job that goes on says the same at each look: it is read once. */
function shownBy(run: Run, poll: Exchange): Job | null {
  const { body } = poll;
  if (run.shown?.body === body) return run.shown.job;
  const job = decodeJob(jsonBody(poll)).value;
  run.shown = { body, job };
  return job;
}
