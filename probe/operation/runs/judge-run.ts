/** Runs the judges of the contract on a run, and reports what they see broken. */

import { decodeWorker } from "../../../contract/decode/worker.ts";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import { isGone, isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import { endOf } from "../../../contract/timeline/track.ts";
import { isPageInFront } from "../../answer-text.ts";
import { sleepUntil } from "../../clock.ts";
import {
  heldToLimit,
  violationsOfCancel,
  violationsOfDetail,
  violationsOfJob,
} from "../../judging.ts";
import { takeCostOf } from "../costs/cost.ts";
import { cancelTrialOf } from "./cancel.ts";
import type { Parts, Run } from "./run.ts";
import { historyOf, reportViolations } from "./run.ts";

/** Ours: a worker's limit is changed by a new version of it, which is a rare thing. */
const LIMIT_KNOWN_MS = 3_600_000;
/** Ours: how long the limit may be waited for. */
const LIMIT_WAIT_MS = 30_000;

/**
 * Ours, in turn: what is written a moment after the end has changed by the first; what is kept for
 * a minute, or written by what runs once a minute, is another by the second.
 */
const POLL_AGAIN_MS = [3_000, 65_000] as const;
/** Ours: how long that poll may wait for the pace. */
const POLL_AGAIN_WAIT_MS = 3_000;

/** `gaveUpAtMs`: when the run's deadline passed without its end; null otherwise. */
export function judgeRun(parts: Parts, run: Run, gaveUpAtMs: number | null): void {
  const history = historyOf(run, gaveUpAtMs);
  if (history === null) return;
  if (gaveUpAtMs === null) judgeHistory(parts, run, history);
  else judgeUnended(parts, run, history).catch(() => {});
}

/** A job that is open at its deadline: its worker's limit is asked for first, and anew. */
async function judgeUnended(parts: Parts, run: Run, history: JobHistory): Promise<void> {
  const before = parts.knowledge.limits.get(history.workerId)?.seconds ?? 0;
  const limitSeconds = await askLimit(parts, run);
  // One that was changed lately may be the job's, or may not.
  const atMost = limitSeconds === null ? null : Math.max(before, limitSeconds);
  judgeHistory(parts, run, heldToLimit(history, atMost, parts.target));
}

function judgeHistory(parts: Parts, run: Run, history: JobHistory): void {
  const between = run.resumed ? [] : parts.knowledge.series.violations(history);
  // What is shown under it may be the other job: that is all that can be said of this one.
  run.hasAnothersId = between.some(({ promise }) => promise === "submit.unique-id");
  if (run.hasAnothersId) {
    reportViolations(parts, run, between);
    return;
  }
  const trial = cancelTrialOf(run);
  reportViolations(parts, run, [
    ...violationsOfJob(history, !run.resumed),
    ...(trial === null ? [] : violationsOfCancel(trial)),
    ...between,
  ]);
  // It may take a request, which no verdict waits for.
  judgeLimit(parts, run).catch(() => {});
  pollAgain(parts, run, history).catch(() => {});
}

/** Whether the end stands: one more poll, where the run's budget has one left. Spec §3.1. */
async function pollAgain(parts: Parts, run: Run, history: JobHistory): Promise<void> {
  const { client, clock, knowledge, requestsPerJob, signal } = parts;
  if (endOf(run.track) === null || run.resumed || run.pollCount >= requestsPerJob) return;
  const { runId, canary } = run.intent;
  const turn = knowledge.turnOf(canary) % POLL_AGAIN_MS.length;
  await sleepUntil(clock, clock.nowMs() + (POLL_AGAIN_MS[turn] ?? 0), signal);
  const request = { route: "job", parameter: run.jobId ?? "", runId } as const;
  const poll = await client.send(request, clock.nowMs() + POLL_AGAIN_WAIT_MS, signal);
  if (poll === null || isPageInFront(poll)) return;
  takeCostOf(parts, run, poll);
  const before = new Set(violationsOfJob(history, true).map(({ promise }) => promise));
  const polls = [...history.polls, poll];
  const again = { ...history, polls };
  const findings = [
    ...violationsOfJob(again, !run.resumed),
    ...(run.resumed ? [] : knowledge.series.missViolations(again)),
  ];
  reportViolations(
    parts,
    run,
    findings.filter(({ promise }) => !before.has(promise)),
  );
  if (isGone(poll) && run.jobId !== null) knowledge.ownJobs.leave(run.jobId);
}

/** Of a job that exceeds its worker's limit, or was ended by it. Spec §2.3. */
async function judgeLimit(parts: Parts, run: Run): Promise<void> {
  const history = historyOf(run, null);
  const isBeyond = run.intent.expected === "timeout";
  const end = endOf(run.track);
  if (history === null || run.resumed || end === null) return;
  if (!isBeyond && end !== "timeout") return;
  const limitSeconds = await limitOf(parts, run);
  if (limitSeconds === null) return;
  const lagMs = await parts.lag.since(history.submission.sentAtMs);
  const limit = { limitSeconds, isBeyond, lagMs };
  const findings = parts.knowledge.series.limitViolations(history, limit, parts.target);
  // A new version of the worker may have another limit than the one that is known.
  if (findings.length > 0 && (await askLimit(parts, run)) !== limitSeconds) return;
  reportViolations(parts, run, findings);
}

/** The worker's stated limit, as far as it is known; null where it is not to be had. */
async function limitOf(parts: Parts, run: Run): Promise<number | null> {
  const known = parts.knowledge.limits.get(run.intent.workerId);
  const isKnown = known !== undefined && parts.clock.nowMs() < known.untilMs;
  return isKnown ? known.seconds : await askLimit(parts, run);
}

/** The same as it is now; as it was where there is no answer. */
async function askLimit(parts: Parts, run: Run): Promise<number | null> {
  const { client, clock, knowledge, signal } = parts;
  const { workerId } = run.intent;
  const { limits } = knowledge;
  const known = limits.get(workerId);
  const request = { route: "worker", parameter: workerId } as const;
  const answer = await client.send(request, clock.nowMs() + LIMIT_WAIT_MS, signal);
  if (answer === null || !isSuccess(answer)) return known?.seconds ?? null;
  reportViolations(parts, run, violationsOfDetail(answer));
  const seconds = decodeWorker(jsonBody(answer)).value?.timeoutSeconds ?? null;
  limits.set(workerId, { seconds, untilMs: clock.nowMs() + LIMIT_KNOWN_MS });
  return seconds;
}
