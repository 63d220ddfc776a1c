/** Runs the judges of the contract on a run, and reports what they see broken. */

import { decodeWorker } from "../../contract/decode/worker.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { JobHistory } from "../../contract/job-history.ts";
import { endOf } from "../../contract/timeline/track.ts";
import { sleepUntil } from "../clock.ts";
import { heldToLimit, violationsOfCancel, violationsOfJob } from "../judging.ts";
import { cancelTrialOf } from "./cancel.ts";
import { takeCostOf } from "./cost.ts";
import type { Parts, Run } from "./run.ts";
import { historyOf, reportViolations } from "./run.ts";

/** Ours: a worker's limit is changed by a new version of it, which is a rare thing. */
const LIMIT_KNOWN_MS = 3_600_000;
/** Ours: how long the limit may be waited for. */
const LIMIT_WAIT_MS = 30_000;

/** Ours: an end that does not stand has changed by then, or will in a later job. */
const POLL_AGAIN_MS = 3_000;

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
  const limitSeconds = await askLimit(parts, history.workerId);
  // One that was changed lately may be the job's, or may not.
  const atMost = limitSeconds === null ? null : Math.max(before, limitSeconds);
  judgeHistory(parts, run, heldToLimit(history, atMost, parts.target));
}

function judgeHistory(parts: Parts, run: Run, history: JobHistory): void {
  const trial = cancelTrialOf(run);
  reportViolations(parts, run, [
    ...violationsOfJob(history, !run.resumed),
    ...(trial === null ? [] : violationsOfCancel(trial)),
    ...(run.resumed ? [] : parts.knowledge.series.violations(history)),
  ]);
  // It may take a request, which no verdict waits for.
  judgeLimit(parts, run).catch(() => {});
  pollAgain(parts, run, history).catch(() => {});
}

/** Whether the end stands: one more poll, where the run's budget has one left. Spec §3.1. */
async function pollAgain(parts: Parts, run: Run, history: JobHistory): Promise<void> {
  const { client, clock, requestsPerJob, signal } = parts;
  if (endOf(run.track) === null || run.resumed || run.pollCount >= requestsPerJob) return;
  await sleepUntil(clock, clock.nowMs() + POLL_AGAIN_MS, signal);
  const { runId } = run.intent;
  const request = { route: "job", parameter: run.jobId ?? "", runId } as const;
  const poll = await client.send(request, clock.nowMs() + POLL_AGAIN_MS, signal);
  if (poll === null) return;
  takeCostOf(parts, run, poll);
  const before = new Set(violationsOfJob(history, true).map(({ promise }) => promise));
  const polls = [...history.polls, poll];
  const findings = violationsOfJob({ ...history, polls }, !run.resumed);
  reportViolations(
    parts,
    run,
    findings.filter(({ promise }) => !before.has(promise)),
  );
}

/** Of a job that exceeds its worker's limit, or was ended by it. Spec §2.3. */
async function judgeLimit(parts: Parts, run: Run): Promise<void> {
  const history = historyOf(run, null);
  const isBeyond = run.intent.expected === "timeout";
  const end = endOf(run.track);
  if (history === null || run.resumed || end === null) return;
  if (!isBeyond && end !== "timeout") return;
  const { workerId } = run.intent;
  const limitSeconds = await limitOf(parts, workerId);
  if (limitSeconds === null) return;
  const lagMs = await parts.lag.since(history.submission.sentAtMs);
  const limit = { limitSeconds, isBeyond, lagMs };
  const findings = parts.knowledge.series.limitViolations(history, limit, parts.target);
  // A new version of the worker may have another limit than the one that is known.
  if (findings.length > 0 && (await askLimit(parts, workerId)) !== limitSeconds) return;
  reportViolations(parts, run, findings);
}

/** The worker's stated limit, as far as it is known; null where it is not to be had. */
async function limitOf(parts: Parts, workerId: string): Promise<number | null> {
  const known = parts.knowledge.limits.get(workerId);
  const isKnown = known !== undefined && parts.clock.nowMs() < known.untilMs;
  return isKnown ? known.seconds : await askLimit(parts, workerId);
}

/** The same as it is now; as it was where there is no answer. */
async function askLimit(parts: Parts, workerId: string): Promise<number | null> {
  const { client, clock, knowledge, signal } = parts;
  const { limits } = knowledge;
  const known = limits.get(workerId);
  const request = { route: "worker", parameter: workerId } as const;
  const answer = await client.send(request, clock.nowMs() + LIMIT_WAIT_MS, signal);
  if (answer === null || !isSuccess(answer)) return known?.seconds ?? null;
  const seconds = decodeWorker(jsonBody(answer)).value?.timeoutSeconds ?? null;
  limits.set(workerId, { seconds, untilMs: clock.nowMs() + LIMIT_KNOWN_MS });
  return seconds;
}
