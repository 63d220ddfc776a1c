/** How long the service waits before each retry. Spec §6, §8. */

import type { WaitBounds } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Attempt } from "./attempts.ts";
import { failedIn, failureText, overAtMs, utc } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { STALL_LAGS } from "./case.ts";
import { retryOf } from "./retried.ts";
import { counted, groundsOf, strengthOf } from "./witness.ts";

/** One wait of one job: what surely holds it, by either origin, start or end of the attempt. */
interface Wait {
  attempt: Attempt;
  fromStartMs: number;
  fromEndMs: number;
  /** By so much it may be the machine that was late. */
  lagMs: number;
}

export function judgeWait(run: WebhookRun, index: 0 | 1 | 2): Finding {
  const promise = (["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const)[index];
  const failed = failedIn(run).filter(({ number }) => number === index + 1);
  const waits = failed.flatMap((attempt) => waitOf(run, attempt) ?? []);
  const [first] = waits;
  if (first === undefined) return noWait(run, failed, promise, index);
  const bounds = waitBounds(run, run.times.webhookWaits[index]);
  const { early, late, isBroken, isDoubtful } = weigh(run, waits, bounds);
  const off = [...early, ...late];
  const evidence = {
    promisedMs: bounds.promisedMs,
    measuredMs: waits.map((wait) => Math.round(wait.fromEndMs)),
    lagMs: waits.map((wait) => Math.round(wait.lagMs)),
    toleratedMs: [Math.round(bounds.earliestMs), Math.round(bounds.latestMs)],
    after: counted(waits.map(whatOf)),
    ends: counted(waits.map(endOf)),
    off: off.map((wait) => offText(wait, bounds)),
  };
  const waited = seconds(median((isBroken ? off : waits).map((wait) => wait.fromEndMs)));
  const text = `waited ${waited}, promised ${seconds(bounds.promisedMs)}`;
  if (isBroken) {
    const cases = off.map(({ attempt }) => attempt.each);
    const shown = off.flatMap(({ attempt }) => [attempt, retryShown(attempt)]);
    const [worst = first] = off;
    return broken(
      promise,
      `${text}: ${off.length} of ${waits.length} waits were off; ${offText(worst, bounds)}`,
      groundsOf(evidence, cases, { shown }),
    );
  }
  if (isDoubtful) {
    return inconclusive(promise, `${off.length} of ${waits.length} waits were off; ${text}`, {
      evidence,
    });
  }
  const measured = {
    what: `wait ${index + 1}`,
    unit: "ms",
    low: Math.min(...waits.map((wait) => wait.fromEndMs)),
    high: Math.max(...waits.map((wait) => wait.fromStartMs)),
    leastTolerated: bounds.earliestMs,
    mostTolerated: bounds.latestMs,
  } as const;
  const cases = waits.map(({ attempt }) => attempt.each);
  const strength = strengthOf({ count: waits.length, of: "waits" }, cases, {
    measured: [measured],
    ways: waits.map(whatOf),
  });
  return kept(promise, `${text}, ${waits.length} times`, { evidence, strength });
}

/** What is tolerated of a wait in this run: by as much more as the suite itself was late. */
export function waitBounds({ lagMs }: Pick<WebhookRun, "lagMs">, wait: WaitBounds): WaitBounds {
  return { ...wait, latestMs: wait.latestMs + lagMs };
}

/** Whether the waits outside of the bounds are the service's doing. */
function weigh(run: WebhookRun, waits: readonly Wait[], bounds: WaitBounds) {
  const early = waits.filter((wait) => wait.fromStartMs < bounds.earliestMs);
  const late = waits.filter((wait) => wait.fromEndMs > bounds.latestMs);
  const isOwn = (wait: Wait) => !isByStall(wait, bounds);
  const isOffAtMost =
    median(waits.map((wait) => wait.fromStartMs)) < bounds.earliestMs ||
    median(waits.map((wait) => wait.fromEndMs)) > bounds.latestMs - run.lagMs;
  return {
    early,
    late,
    isBroken: [early, late].some((off) => isProofOf(run, off, waits) && off.some(isOwn)),
    isDoubtful: isOffAtMost || [...early, ...late].some(isOwn),
  };
}

/** Ours: what happens on the way does not happen twice to the same kind and to no other. */
const ALIKE_MIN = 2;

/**
 * On one machine each wait is proof, as what is its own doing was measured. From elsewhere the way
 * may have bent any one: all that have something in common must agree.
 */
function isProofOf(run: WebhookRun, off: readonly Wait[], waits: readonly Wait[]): boolean {
  if (off.length === 0) return false;
  if (run.isLocal || off.length === waits.length) return true;
  return [whatOf, endOf, partOf, (wait: Wait) => `${whatOf(wait)} ${endOf(wait)}`].some((trait) => {
    const [alike, all] = [counted(off.map(trait)), counted(waits.map(trait))];
    return Object.entries(alike).some(([of, count]) => count >= ALIKE_MIN && count === all[of]);
  });
}

const whatOf = ({ attempt }: Wait) => failureText(attempt.delivery.answer);
const endOf = ({ attempt }: Wait) => attempt.each.expected;
const partOf = ({ attempt }: Wait) => attempt.each.part;

/** "after an answer 404 job_1's attempt 2 came 3512 to 3514 ms early, at 2026-…Z". */
function offText(wait: Wait, { earliestMs, latestMs, promisedMs }: WaitBounds): string {
  const { attempt, fromStartMs, fromEndMs } = wait;
  const isEarly = fromStartMs < earliestMs;
  const off = isEarly
    ? [promisedMs - fromStartMs, promisedMs - fromEndMs]
    : [fromEndMs - promisedMs, fromStartMs - promisedMs];
  const [low = 0, high = 0] = off.map(Math.round);
  const side = isEarly ? "early" : fromEndMs > latestMs ? "late" : "off";
  const came = `${attempt.each.jobId}'s attempt ${attempt.number + 1} came ${low} to ${high} ms`;
  const at = utc(attempt.next?.arrivedAtMs ?? 0);
  return `after ${whatOf(wait)} ${came} ${side}, at ${at}`;
}

function retryShown({ each, next, delivery }: Attempt) {
  return { each, delivery: next ?? delivery };
}

/**
 * Whether the machine alone may have moved it out of its bounds: a retry passes several threads,
 * each of which may have been that late; a delivery that was held up until it was stamped makes the
 * wait after it look short.
 */
function isByStall({ fromStartMs, fromEndMs, lagMs }: Wait, bounds: WaitBounds): boolean {
  const [shortMs, longMs] = [bounds.earliestMs - fromStartMs, fromEndMs - bounds.latestMs];
  return shortMs > 0 ? shortMs <= lagMs : longMs <= STALL_LAGS * lagMs;
}

function waitOf({ times }: WebhookRun, attempt: Attempt): Wait | null {
  const { each, number, delivery, next } = attempt;
  if (next === null) return null;
  return {
    attempt,
    fromStartMs: next.arrivedAtMs - delivery.arrivedAtMs,
    fromEndMs: next.arrivedAtMs - overAtMs(delivery, times),
    lagMs: each.lagsMs[number - 1] ?? 0,
  };
}

function noWait(
  run: WebhookRun,
  failed: readonly Attempt[],
  promise: Finding["promise"],
  index: number,
): Finding {
  if (failed.length === 0) return unobserved(promise, `no attempt ${index + 1} was seen to fail`);
  if (failed.some((attempt) => retryOf(run, attempt) === "missed")) {
    return inconclusive(promise, `attempt ${index + 2} never came (see webhook.retried)`);
  }
  return unobserved(promise, `wait ${index + 1} is longer than this run watches`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 100_000 ? 2 : 1)} s`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
