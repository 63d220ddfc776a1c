/** One run from its intent to its verdict, and the resumption of one that a restart interrupted. */

import { namesAnother } from "../../../contract/judges/job/reading.ts";
import type { Price } from "../../../contract/limits/budget.ts";
import { estimateOf } from "../../../contract/limits/budget.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { EndState } from "../../../contract/states.ts";
import { messageOf } from "../../../contract/text/thrown.ts";
import { observe } from "../../../contract/timeline/track.ts";
import { answerText } from "../../answer-text.ts";
import type { Canary } from "../../canary/canary.ts";
import type { Settled, SkipReason } from "../../events.ts";
import type { Ceilings } from "../../journal/budget.ts";
import { refusalOf, unknownSpendingOf } from "../../journal/budget.ts";
import type { Intent, UnfinishedRun } from "../../journal/records.ts";
import type { Outcome, Submitted } from "../../outcome.ts";
import { isJson, outcomeOfDeadline, outcomeOfEnd, outcomeOfLost } from "../../outcome.ts";
import { pauseText } from "../../spell.ts";
import { priceOf } from "../costs/prices.ts";
import { listenOn } from "../webhooks/webhook-watch.ts";
import { seeOut } from "./aftermath.ts";
import { outcomeOfUncancelled, requestCancel } from "./cancel.ts";
import { doubted } from "./doubt.ts";
import { follow } from "./follow.ts";
import { markReported, staleMs } from "./report-track.ts";
import { resolve } from "./resolve.ts";
import type { Parts, Run } from "./run.ts";
import { deadlineAtMs, factsOf, newRun } from "./run.ts";
import type { Unfound } from "./search.ts";
import type { Balance, RunVerdict } from "./settle.ts";
import { settle } from "./settle.ts";
import { newIntent, submit } from "./submit.ts";

export interface Started {
  run: Run;
  /** The run's verdict; null when the probe stopped before it, or it was not to be started. */
  settled: Promise<Settled | null>;
  /** Resolves when nothing of the run is waited for any more, its webhook included. */
  done: Promise<void>;
}

export type Skipped = { reason: SkipReason; why: string };

/** Writes the intent and submits; says why where it must not. */
export async function startRun(
  parts: Parts,
  canary: Canary,
  ceilings: Ceilings,
): Promise<Started | Skipped> {
  const { clock, client } = parts;
  if (client.pausedUntilMs > clock.nowMs()) {
    // Without its time, which the next pause changes: all canaries are to say the same.
    const why = `${pauseText(client.askedMs)}; the probe tries again within a minute`;
    return { reason: "rate_limited", why };
  }
  const written = await writeIntent(parts, canary, ceilings).catch(unwritten);
  return "reason" in written ? written : begin(parts, newRun(written, canary));
}

async function writeIntent(
  parts: Parts,
  canary: Canary,
  ceilings: Ceilings,
): Promise<Intent | Skipped> {
  const price = await priceOf(parts, canary.workerId, ceilings);
  const refusal = budgetRefusal(parts, canary.workerId, price, ceilings);
  if (refusal !== null) return { reason: "budget", why: refusal };
  const intent = newIntent(canary, parts);
  // It is counted from this call on, so that no other run is given the same rest of the budget.
  await parts.journal.intend(intent, estimateOf(price));
  return intent;
}

/** A full disk is said by the journal, a file that can't be read by SQLite. */
function unwritten(error: unknown): Skipped {
  return { reason: "journal", why: messageOf(error) };
}

function budgetRefusal(
  { target, clock, journal }: Parts,
  workerId: string,
  price: Price,
  ceilings: Ceilings,
): string | null {
  const unknown = unknownSpendingOf(target, journal);
  if (unknown !== null) return unknown;
  const nowMs = clock.nowMs();
  const spent = { day: journal.spent("day", nowMs), month: journal.spent("month", nowMs) };
  return refusalOf(ceilings, spent, price, () => journal.unpriced(workerId, nowMs));
}

function begin(parts: Parts, run: Run): Started {
  parts.emit({ type: "run-started", run: factsOf(run), atMs: run.intent.intendedAtMs });
  return carry(parts, run, () => submit(parts, run));
}

/** Goes on with a run of an earlier process. */
export function resumeRun(parts: Parts, canary: Canary, left: UnfinishedRun): Started {
  const run = resumedRun(parts, canary, left);
  const { settled, afterUntilMs } = left;
  // With a verdict already, it is only watched; it must not be counted again.
  if (settled !== null && afterUntilMs !== null) {
    run.cost = countedCost(left, settled);
    markReported(run);
    const balance = Promise.resolve({ settled, afterUntilMs });
    return see(parts, run, balance, listenOn(parts, run));
  }
  const atMs = left.intent.intendedAtMs;
  parts.emit({ type: "run-recovered", run: factsOf(run), submittedAtMs: atMs });
  return carry(parts, run, async () => resumedSubmission(run));
}

/** What an earlier process has counted of a run with its verdict. */
function countedCost({ jobId, stated }: UnfinishedRun, { cost }: Settled): Run["cost"] {
  const { credits, usd } = stated ?? cost;
  const jobs = jobId === null ? 0 : 1;
  return { spent: { jobs, credits, usd }, isStated: stated !== null };
}

function resumedRun(parts: Parts, canary: Canary, left: UnfinishedRun): Run {
  const run = newRun(left.intent, canary);
  run.resumed = true;
  run.jobId = left.jobId;
  run.submission = left.submission;
  run.seq = left.observations.length + 1;
  const gap = { kind: "gap", atMs: parts.clock.nowMs() } as const;
  run.track = [...left.observations, gap].reduce(observe, run.track);
  return run;
}

/** Without an identifier the answer was lost with the process. */
function resumedSubmission({ jobId }: Run): Submitted {
  if (jobId === null) return { kind: "ambiguous", why: "the probe ended before the answer" };
  return { kind: "accepted", jobId, state: "queued", estimatedCredits: null };
}

function carry(parts: Parts, run: Run, submitted: () => Promise<Submitted>): Started {
  const ignore = listenOn(parts, run);
  parts.knowledge.charges.begins(run.intent.runId);
  const verdict = submitted().then((answer) => reachVerdict(parts, run, answer));
  const balance = verdict
    .catch((error: unknown): RunVerdict => probeError(error))
    .then(async (reached) => {
      return reached === null ? null : settle(parts, run, await doubted(parts, run, reached));
    });
  return see(parts, run, balance, ignore);
}

/** What comes after the verdict; `ignore` ends the listening for its webhook. */
function see(
  parts: Parts,
  run: Run,
  balance: Promise<Balance | null>,
  ignore: () => void,
): Started {
  const done = balance
    .then(async (reached) => {
      if (reached === null || reached.afterUntilMs === null) return;
      await seeOut(parts, run, reached.settled, reached.afterUntilMs);
    })
    .finally(ignore);
  return { run, settled: balance.then((reached) => reached?.settled ?? null), done };
}

/** null when the probe stops first: the journal holds the run for the next process. */
async function reachVerdict(
  parts: Parts,
  run: Run,
  submitted: Submitted,
): Promise<RunVerdict | null> {
  // It was cut off by the end of this process, and may have been sent.
  if (parts.signal.aborted && run.submission?.error != null) return null;
  if (submitted.kind === "refused") {
    const { outcome, mayRun } = submitted;
    return { outcome, why: ofSubmission(answerText(run.submission)), end: null, mayCost: mayRun };
  }
  const deadlineMs = deadlineAtMs(run);
  if (submitted.kind === "ambiguous") {
    const found = await resolve(parts, run, deadlineMs);
    if (parts.signal.aborted && found !== "found") return null;
    if (found !== "found") return verdictWithoutJob(run, submitted.why, found);
  }
  await requestCancel(parts, run);
  const end = await follow(parts, run);
  if (end !== null) return verdictOfEnd(run, end);
  if (parts.signal.aborted) return null;
  return verdictWithoutEnd(parts, run);
}

/**
 * `lost`: why no identifier is known. What the probe was away for is held against nobody; an answer
 * without an identifier is the service's failure, whatever its list of jobs leaves open. Spec §2.4.
 */
function verdictWithoutJob(
  { resumed, submission }: Run,
  lost: string,
  { list, mayBeListed }: Unfound,
): RunVerdict {
  const found = resumed ? "ambiguous_submission" : outcomeOfLost(list, mayBeListed);
  const isAnswered = !resumed && submission?.error === null;
  const what = resumed ? lost : ofSubmission(lost);
  const why = `${what}; ${searchText(found, list)}`;
  return { outcome: isAnswered ? "http_error" : found, why, end: null, mayCost: true };
}

/** Polls, lists and cancels fail as well: which request it was is what one looks for first. */
function ofSubmission(what: string): string {
  return `the submission: ${what}`;
}

function searchText(outcome: Outcome, list: Exchange | null): string {
  if (outcome === "ambiguous_submission") return "no job was shown to be its own";
  const isRead = list !== null && isJson(list);
  return isRead ? "the list of jobs does not show it" : `the list of jobs: ${answerText(list)}`;
}

/** Ours: the last poll is made a little before the deadline. */
const EARLY_MS = 1_000;

function verdictWithoutEnd(parts: Parts, run: Run): RunVerdict {
  const { clock } = parts;
  const outcome = outcomeOfDeadline(run.polls, run.jobId);
  const early = clock.nowMs() < deadlineAtMs(run) - EARLY_MS;
  if (outcome === "deadline" && run.isForbidden) {
    const why = "a 429 forbids polls until the deadline";
    return { outcome: "rate_limited", why, end: null, mayCost: true };
  }
  const seconds = run.intent.deadlineMs / 1_000;
  if (outcome === "deadline" && run.intent.expected === "cancelled") {
    const { outcome, why } = outcomeOfUncancelled(run);
    return { outcome, why: `no end within ${seconds} s: ${why}`, end: null, mayCost: true };
  }
  const within = early ? "no poll shows the job" : `no end within ${seconds} s`;
  const last = outcome === "deadline" ? lastStateText(parts, run) : `; ${lastPollText(run)}`;
  return { outcome, why: within + last, end: null, mayCost: true };
}

/** A backlog and a slow worker are told apart by it. */
function lastStateText(parts: Parts, run: Run): string {
  const last = run.track.polls.at(-1);
  if (last === undefined) return "";
  const isStale = staleMs(parts, run) !== null;
  return `; last seen ${last.state}${isStale ? ", though its webhook told of its end before" : ""}`;
}

function lastPollText({ polls, shown, jobId }: Run): string {
  const last = polls.at(-1);
  const job = last !== undefined && shown?.body === last.body ? shown.job : null;
  if (job !== null && namesAnother(job, jobId)) return "the last answer shows another job";
  return `the last poll was ${answerText(last)}`;
}

/** How a job ended, in words. */
const ENDED: Readonly<Record<EndState, string>> = {
  completed: "the job completed",
  failed: "the job failed",
  timeout: "the job timed out",
  cancelled: "the job was cancelled",
};

/** Ours: an identifier, and none that quotes a job's input. */
const CODE = /^[\w.:/-]{1,64}$/;

/** What the owner of a worker looks for first. The message may quote the job, and stays out. */
function errorCode({ shown }: Run, { body }: Exchange): string {
  const code = shown?.body === body ? shown?.job?.error?.code : undefined;
  return code !== undefined && CODE.test(code) ? ` (${code})` : "";
}

function verdictOfEnd(run: Run, end: Exchange): RunVerdict {
  const { expected } = run.intent;
  const ended = ENDED[run.track.polls.at(-1)?.state as EndState];
  const late = run.resumed || end.receivedAtMs > deadlineAtMs(run) + EARLY_MS;
  if (late && !endedInTime(run, end)) {
    const why = "the job ended while the probe was away; whether in time is not known";
    return { outcome: "probe_error", why, end, mayCost: true };
  }
  const outcome = outcomeOfEnd(end, expected);
  if (expected === "cancelled" && outcome === "wrong_state") {
    const { outcome, why } = outcomeOfUncancelled(run);
    return { outcome, why: `${ended}: ${why}`, end, mayCost: true };
  }
  const why = {
    success: `${ended}${expected === "completed" ? "" : ", as expected"}`,
    wrong_state: `${ended}${errorCode(run, end)}; expected ${expected}`,
    wrong_result: `${ended} without the result or error that this state requires`,
  };
  return { outcome, why: why[outcome as keyof typeof why], end, mayCost: true };
}

/** By the service's own times, or because it was seen before the deadline. */
function endedInTime(run: Run, end: Exchange): boolean {
  if (end.receivedAtMs <= deadlineAtMs(run)) return true;
  const { created, finished } = run.track.stamps;
  if (created === null || finished === null) return false;
  return finished.highMs - created.lowMs <= run.intent.deadlineMs;
}

function probeError(error: unknown): RunVerdict {
  const why = `the probe failed: ${messageOf(error)}`;
  return { outcome: "probe_error", why, end: null, mayCost: true };
}

/** A canary for a run whose canary the target file no longer names. */
export function retiredCanary(intent: Intent): Canary {
  return {
    name: intent.canary,
    part: "success",
    workerId: intent.workerId,
    input: {},
    marker: null,
    everyMs: intent.deadlineMs,
    jitterShare: 0,
    deadlineMs: intent.deadlineMs,
    webhook: intent.token !== null,
    expected: intent.expected,
    overlapMax: 1,
  };
}
