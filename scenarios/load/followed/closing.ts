/** Closes ledger entries: what they tell goes into the tally, the entry itself is dropped. */

import type { Job } from "../../../contract/decode/job-types.ts";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import { readHistories } from "../../../contract/judges/job/reading.ts";
import { accountOf } from "../../../contract/judges/load/accounting/readings.ts";
import { COSTS } from "../../../contract/judges/load/tally.ts";
import { addViolation, withdrawViolation } from "../../../contract/judges/load/violations.ts";
import { boundsOf } from "../../../contract/judges/timeout/bounds.ts";
import {
  atReachedLimit,
  readLimitedJob,
  timeoutRunMs,
} from "../../../contract/judges/timeout/limited-job.ts";
import { shownEarlyOf, typicalShownEarly } from "../../../contract/judges/timeout/start-up.ts";
import { addTimedOutJob } from "../../../contract/judges/timeout/under-load.ts";
import { newHistogram, recordValue } from "../../../contract/numbers/histogram.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { LoadPart } from "../../../contract/run/run-plan.ts";
import type { State } from "../../../contract/states.ts";
import { isFreeByRule } from "../../../contract/states.ts";
import { precisionMs } from "../../../contract/time/timestamps.ts";
import { takeCancelled, waitedBehindGroup } from "../cancels.ts";
import { passBy } from "../in-passing.ts";
import { countInSeries, leaveBacklog, timeInSeries } from "../series.ts";
import type { Soak } from "../soak.ts";
import { statedLimitMs } from "../soak.ts";
import type { Entry } from "./ledger.ts";
import { exchangesOf, historyOf } from "./ledger.ts";
import { toldEndMs } from "./told-end.ts";

/** How a job of each part ends; a cancel may come too late. */
const ENDS: Readonly<Record<LoadPart, readonly State[]>> = {
  success: ["completed"],
  slow: ["completed"],
  list: ["completed"],
  empty: ["completed"],
  files: ["completed"],
  failure: ["failed"],
  timeout: ["timeout"],
  cancel: ["cancelled", "completed"],
};

/** Whether the job is told to have ended as one of its part does. */
export function isAsExpected({ mixPart, end }: Entry): boolean {
  return end?.state != null && ENDS[mixPart.part].includes(end.state);
}

/** Counts an end among those of its second, once, as soon as it is known. */
export function countEnd(soak: Soak, entry: Entry): void {
  const { tally } = soak;
  const { end, endSeenAtMs, sentAtMs, mixPart } = entry;
  if (entry.isCounted || end?.state == null || endSeenAtMs === null) return;
  entry.isCounted = true;
  tally.waiting -= 1;
  const endedAtMs = Math.min(endSeenAtMs, toldEndMs(entry, end) ?? endSeenAtMs);
  recordValue(tally.newsLag, endSeenAtMs - endedAtMs);
  // News of an end may come before the submission's answer, which puts the job there.
  leaveBacklog(tally.series, Math.max(endedAtMs, entry.openAtMs));
  countInSeries(tally.series, "ended", endedAtMs);
  if (isAsExpected(entry)) countInSeries(tally.series, "completed", endedAtMs);
  const lifeMs = Math.max(0, endedAtMs - sentAtMs);
  const lives = tally.lives[mixPart.part] ?? newHistogram();
  tally.lives[mixPart.part] = lives;
  recordValue(lives, lifeMs);
  recordValue(tally.livesByThird[entry.third], lifeMs);
}

/** Whether a job tells how long it took. */
export function tellsTimes(end: Job | null): boolean {
  return end?.createdAt != null && end.finishedAt !== null;
}

export function missWebhook({ tally }: Soak, entry: Entry, graceMs: number): void {
  entry.webhookMissing = true;
  if (entry.isUnvouched) return;
  const seconds = Math.round(graceMs / 100) / 10;
  const what = `${entry.id} was ${entry.end?.statusText}, and no webhook came within ${seconds} s`;
  const { missed } = tally;
  addViolation(tally.webhooks.missing, { what, exchanges: exchangesOf(entry) });
  if (missed.size < MISSED_MAX) missed.set(entry.token, what);
}

/** Ours: of so many webhooks it is remembered that they did not come in time. */
const MISSED_MAX = 20_000;

/**
 * Takes back that a webhook is missing, as one came after all: within which time is open, and of
 * one that is not vouched for whether it was the service's.
 */
export function takeLateWebhook({ tally, ledger }: Soak, token: string, isVouched: boolean): void {
  const { missed } = tally;
  const what = missed.get(token);
  if (what === undefined) return;
  missed.delete(token);
  withdrawViolation(tally.webhooks.missing, what);
  if (isVouched) tally.webhooks.late += 1;
  // An open entry counts when it is closed.
  if (!ledger.open.has(token)) tally.webhooks[isVouched ? "delivered" : "unvouched"] += 1;
}

/** Closes an entry whose job has ended. */
export function closeEnded(soak: Soak, entry: Entry): void {
  const { tally, ledger } = soak;
  const { end } = entry;
  ledger.close(entry);
  if (end?.state == null) return;
  tally.ended += 1;
  tally.endedByState[end.state] = (tally.endedByState[end.state] ?? 0) + 1;
  tally.variant ??= end.variant;
  if (isAsExpected(entry)) tally.completed += 1;
  if (soak.plan.receiver !== null) {
    tally.webhooks.ended += 1;
    if (entry.webhookAtMs !== null) tally.webhooks.delivered += 1;
    else if (entry.isUnvouched) tally.webhooks.unvouched += 1;
    else if (!entry.webhookMissing) tally.webhooks.pending += 1;
  }
  takeCost(soak, entry, end);
  takeQueueWait(soak, entry, end);
  if (end.durationMs !== null) recordValue(tally.runsByThird[entry.third], end.durationMs);
  const isCancelled = end.state === "cancelled" && entry.cancelRequests.length > 0;
  if (!isCancelled && mayConcernLimit(soak, entry, end)) takeTimeout(soak, entry);
  passBy(soak, entry);
}

/** Whether it should have run into its limit, was said to, or told a run far beyond it. */
function mayConcernLimit(soak: Soak, { mixPart }: Entry, { state, durationMs }: Job): boolean {
  if (mixPart.part === "timeout" || state === "timeout") return true;
  const limitMs = statedLimitMs(soak, mixPart.worker.id);
  const { lateMs, lateShare } = soak.plan.times.limitTolerance;
  if (limitMs === null || durationMs === null) return false;
  return durationMs > limitMs + Math.max(lateMs, lateShare * limitMs);
}

export function closeLost(
  soak: Soak,
  entry: Entry,
  what: string,
  exchanges: readonly Exchange[],
): void {
  const { tally, ledger } = soak;
  ledger.close(entry);
  passBy(soak, entry);
  const shown = new Set([...exchangesOf(entry), ...exchanges]);
  addViolation(tally.lost, { what: `${entry.id}: ${what}`, exchanges: [...shown] });
}

function takeCost({ tally, context }: Soak, entry: Entry, end: Job): void {
  const { credits, totalUsd } = end.cost;
  if (entry.id !== null) context.spending.ended(entry.id, end);
  const cost = end.variant === "A" ? credits : totalUsd;
  const account = accountOf(entry.key);
  const costs = tally.costs[account] ?? COSTS.empty();
  tally.costs[account] = costs;
  costs.jobs += 1;
  costs.sumBillionths += Math.round((cost ?? 0) * 1e9);
  costs.dearest = Math.max(costs.dearest, cost ?? 0);
  if (cost === null && !isFreeByRule(end.state)) costs.unknown += 1;
}

function takeQueueWait(soak: Soak, entry: Entry, end: Job): void {
  const { tally, objectives } = soak;
  if (end.state === "cancelled") takeCancelled(soak, entry);
  const waited = queueWaitOf(end);
  if (waited === null || waitedBehindGroup(soak, entry, waited.ms)) return;
  const { ms, precision } = waited;
  recordValue(tally.queueWait.all, ms);
  recordValue(tally.queueWait.thirds[entry.third], ms);
  timeInSeries(tally.series, "queueWait", entry.sentAtMs, ms);
  const { queueWaitP99Ms } = objectives;
  if (queueWaitP99Ms === null || ms - precision <= queueWaitP99Ms) return;
  addViolation(tally.queueWait.over, {
    what: `${entry.id} waited ${Math.round(ms)} ms`,
    exchanges: exchangesOf(entry),
  });
}

/** From submission to start, by the service's own times. Variant A tells the start indirectly. */
function queueWaitOf(end: Job): { ms: number; precision: number } | null {
  const { createdAt, startedAt, finishedAt, durationMs } = end;
  if (createdAt === null || end.state === "cancelled") return null;
  if (startedAt !== null) {
    const precision = Math.max(precisionMs(createdAt), precisionMs(startedAt));
    return { ms: Math.max(0, startedAt.ms - createdAt.ms), precision };
  }
  if (finishedAt === null || durationMs === null) return null;
  const precision = Math.max(precisionMs(createdAt), precisionMs(finishedAt));
  return { ms: Math.max(0, finishedAt.ms - durationMs - createdAt.ms), precision };
}

/** Ours: that many tell where a limit lies. */
const TIMEOUT_RUNS_MAX = 100;

/** Judges a job that should have run into its limit, by the poll that showed its end. */
export function takeTimeout(soak: Soak, entry: Entry): void {
  const { submission, lastSeen, runningSeen, endSeen, mixPart } = entry;
  const seconds = soak.details.get(mixPart.worker.id)?.timeoutSeconds;
  if (submission === null || lastSeen === null || seconds == null) return;
  const polls = [...new Set([runningSeen, endSeen, lastSeen])].flatMap((each) => each ?? []);
  const history = historyOf(entry, submission, polls);
  const bounds = boundsOf(seconds, soak.plan.times);
  const { tally } = soak;
  const job = readLimitedJob(history, bounds, tally.startStamp);
  if (tally.timeoutRunsMs.length < TIMEOUT_RUNS_MAX) tally.timeoutRunsMs.push(...timeoutRunMs(job));
  addTimedOutJob(tally.timeouts, atReachedLimit(job, tally.timeoutRunsMs, bounds));
  takeShownEarly(soak, history);
}

/** Of a job whose start was watched: it was seen running as soon as it was shown so. */
function takeShownEarly({ tally }: Soak, history: JobHistory): void {
  const watched = tally.starts.find(({ issuedId }) => issuedId === history.issuedId);
  if (watched === undefined) return;
  const polls = [...watched.polls, ...history.polls];
  const readings = readHistories([{ ...history, polls }]);
  tally.shownEarlyMs.push(...readings.flatMap((reading) => shownEarlyOf(reading) ?? []));
  tally.timeouts.shownEarlyMs = typicalShownEarly(tally.shownEarlyMs);
}
