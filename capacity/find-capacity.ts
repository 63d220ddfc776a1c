/** Finds the highest rate that keeps the objectives: step by step, within time and budget. */

import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../clock/system-clock.ts";
import { BUDGET_ENDED, leftOf, sumOf } from "../contract/limits/budget.ts";
import { planRate } from "../contract/limits/capacity-rates.ts";
import type { CapacityOrder } from "../contract/run/capacity-step.ts";
import type { CapacityResult, CapacityStep } from "../report/capacity-model.ts";
import { duration, figure } from "../report/text.ts";
import { labelNote } from "../runner/remote-write.ts";
import { admissionIn, admittedPerSecond } from "./admission.ts";
import { baseOf } from "./bottleneck.ts";
import { courseOf } from "./course.ts";
import type { Errors } from "./error-share.ts";
import { errorsIn, failAtAnyRate } from "./error-share.ts";
import { isUnsteady, unsteadyBefore } from "./growth.ts";
import type { Wait } from "./judge-step.ts";
import { judgeStep, waitsLongest } from "./judge-step.ts";
import { errorsMax, neverTells } from "./objectives.ts";
import type { CapacityOptions } from "./options.ts";
import { resultOf } from "./result.ts";
import { periodSeconds, soughtAfter } from "./rhythm.ts";
import type { StepRun } from "./run-step.ts";
import { runStep } from "./run-step.ts";
import type { Attempt, SearchPhase } from "./search.ts";
import { fullRunsAt, nextStep, runsToCome, withdrawnInARow } from "./search.ts";
import type { Search } from "./search-state.ts";
import { newSearch } from "./search-state.ts";
import { CALM_LAG_MS, isStandstill, longestWaitMs } from "./standstill.ts";
import { drainWithin, longerMs, orderOf } from "./step-plan.ts";
import { overloadThroughput } from "./throughput.ts";
import { tooShort, whyNot } from "./time-wanted.ts";
import { whoseLimit } from "./whose-limit.ts";

/**
 * Ours: where not all runs that confirm are possible any more, the last ones tell less than a step,
 * longer than one, of some keys alone.
 */
const RESERVED = { runsMax: 2, steps: 2.5 };

/** Ours: what four times the length does not show is looked for with a longer `--step`. */
const STRETCH_MAX = 4;

/** Makes one step: k6 against the service. */
export type StepRunner = typeof runStep;

/** Resolves with what was found so far when the signal is aborted. */
export async function findCapacity(
  options: CapacityOptions,
  run: StepRunner = runStep,
): Promise<CapacityResult> {
  const search = newSearch(ceilingOf(options));
  const { remoteWrite } = options;
  if (remoteWrite !== null) search.notes.push(labelNote(remoteWrite));
  while (search.end === null && !options.signal.aborted) await goOn(options, search, run);
  search.whose = await whoseLimit(options, search, run);
  return resultOf(options, search);
}

export function ceilingOf({
  keys,
  of,
  receiver,
  beyondPlan,
  maxRate,
}: CapacityOptions): Search["ceiling"] {
  const plans = planRate(keys, of, receiver.access !== null);
  const isPlan = !beyondPlan && plans < maxRate;
  return { rate: isPlan ? plans : maxRate, bound: isPlan ? "plan" : "max-rate" };
}

async function goOn(options: CapacityOptions, search: Search, runner: StepRunner): Promise<void> {
  const limits = { startRate: options.startRate, maxRate: search.ceiling.rate };
  const next = nextStep(search.attempts, limits);
  if (next.done) {
    search.end = next.end;
    return;
  }
  const base = wholeBaseOf(search) ?? baseOf(search.steps);
  const last = search.steps.at(-1) ?? null;
  const wanted = orderOf(options, next.phase, next.rate, base, last, search);
  const leftMs = search.startedAtMs + options.timeMs - nowMs();
  const order = drainWithin(varied(wanted, search), leftMs, base);
  const isReserving = reserves(options, search, order);
  search.end = whyNot(options, search, order, isReserving ? RESERVED.steps : 1);
  const short = tooShort(options, search, next.rate, nowMs() - search.startedAtMs);
  if (search.end !== null) {
    const length = duration(order.durationMs);
    const what = search.end === "time" ? "--time" : "the budget";
    const beside = isReserving ? ", and for a step of some keys alone" : "";
    const room = `${what} left no room for ${length} at ${figure(next.rate)} a second${beside}`;
    search.notes.push(short === null ? room : `${room}: ${short}`);
  }
  if (search.end !== null) return;
  if (short !== null && next.phase !== "search" && !search.attempts.some(isFull)) {
    options.onEvent({ type: "too-little", text: short });
  }
  await sleepUnless(options.signal, withdrawnInARow(search.attempts) * options.calmMs);
  if (options.signal.aborted) return;
  const seconds = order.durationMs / 1_000;
  const what = `${next.rate} ${options.of} a second`;
  options.onEvent({ type: "step-started", phase: next.phase, what, seconds });
  const name = `step-${search.steps.length + 1}`;
  const run = await runner(options, order, leftOf(options.budget, search.spent), name);
  search.spent = sumOf(search.spent, run.spent);
  search.notes.push(...ofNewKinds(run.notes ?? [], search.notes));
  if (run.hasLostMetrics) {
    search.notes.push(`metrics could not be sent to ${options.remoteWrite?.url}`);
  }
  if (options.signal.aborted) return;
  take(options, search, { phase: next.phase, order, run, base });
}

function varied(order: CapacityOrder, { attempts, rhythms }: Search): CapacityOrder {
  if (rhythms.length > 0) return order;
  const runs = fullRunsAt(attempts, order.ratePerSecond);
  return { ...order, durationMs: longerMs(order.durationMs, runs) };
}

/** Whether what is left is for telling whose limit it is: only where it ends the search anyway. */
function reserves(options: CapacityOptions, search: Search, order: CapacityOrder): boolean {
  const runs = runsToCome(search.attempts);
  if (options.keys.length < 2 || runs === null || runs > RESERVED.runsMax) return false;
  return whyNot(options, search, order, runs) !== null;
}

/** A step of less than two periods saw other waits than the next one will. */
function wholeBaseOf({ steps, rhythms }: Search): CapacityStep | null {
  const leastSeconds = 2 * (periodSeconds(rhythms) ?? 0);
  return baseOf(steps.filter(({ measuredSeconds }) => measuredSeconds >= leastSeconds));
}

function isFull({ phase }: Attempt): boolean {
  return phase !== "search";
}

/** Each step has its own figures; the same with others is told by the first. Keys keep theirs. */
function ofNewKinds(notes: readonly string[], told: readonly string[]): readonly string[] {
  const kindOf = (note: string) => note.replace(/(?<![\w.-])\d[\d.,]*(?![\w-])/g, "0");
  const known = new Set(told.map(kindOf));
  return notes.filter((note) => !known.has(kindOf(note)));
}

async function sleepUnless(signal: AbortSignal, ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}

interface Taken {
  phase: SearchPhase;
  order: CapacityOrder;
  run: StepRun;
  base: CapacityStep | null;
}

function take(options: CapacityOptions, search: Search, { phase, order, run, base }: Taken): void {
  const { measurement, trouble } = run;
  const { objectives, onEvent } = options;
  if (measurement === null) {
    search.notes.push(`a step of ${order.ratePerSecond} a second has no figures: ${trouble}`);
    search.attempts.push(attemptOf(phase, order, "withdrawn", null));
    return;
  }
  const below = errorsUpTo(order.ratePerSecond, search.steps);
  const before = unsteadyBefore(search.steps, order.ratePerSecond);
  const hasFailed = search.attempts.some((each) => {
    return isFull(each) && each.outcome === "fail" && each.rate === order.ratePerSecond;
  });
  const standstillMs = standstillKnownMs(search, order.ratePerSecond);
  const { rhythms, soughtMs, admissions } = search;
  const isSought = rhythms.length === 0 && soughtMs !== null;
  const known = { base, below, before, hasFailed, standstillMs, rhythms, isSought, admissions };
  const given = { phase, objectives, wait: search.wait, ...known };
  const step = judgeStep(order, measurement, given);
  search.variant ??= measurement.variant;
  if (measurement.stopped === BUDGET_ENDED) search.end = "budget";
  takeUntaken(search, measurement.untaken);
  const isEndless = measurement.leftOpen > 0 && step.latencyMs === null && waitsLongest(order);
  if (step.outcome === "withdrawn" && (isEndless || neverTells(objectives, step))) {
    search.end = "untold";
  }
  if (step.outcome === "pass") {
    search.newsLagMs = Math.max(search.newsLagMs, measurement.newsLagP95Ms);
  }
  if (step.outcome === "pass" || isStandstill(step)) {
    search.standstillMs = Math.max(search.standstillMs, longestWaitMs(step));
  }
  takeRhythm(search, step);
  if (measurement.leftOpen > 0 && measurement.stopped === null) {
    search.wait = waitAfter(search.wait, order, step);
  }
  if (isUnsteady(step)) search.stretch = Math.min(STRETCH_MAX, search.stretch * 2);
  if (base === null && step.outcome === "fail") {
    search.blind.set(search.steps.length, { phase, order, measurement });
  }
  search.steps.push(step);
  const isLimited = step.outcome === "fail" && step.failures[0]?.bottleneck === "limiter";
  const admission = isLimited ? admissionIn(measurement) : null;
  if (admission !== null) search.admissions.push(admission);
  const { crowding } = measurement;
  if (crowding !== undefined) search.crowdings.push({ outcome: step.outcome, crowding });
  explainBlind(options, search);
  const throughput = admission === null ? overloadThroughput(step) : admittedPerSecond([admission]);
  search.attempts.push(attemptOf(phase, order, step.outcome, throughput));
  if (failAtAnyRate(search.steps, errorsMax(objectives))) search.end = "errors";
  onEvent({ type: "step-ended", step });
}

/** What this machine may have done is no rhythm of the service's. */
function takeRhythm(search: Search, step: CapacityStep): void {
  if ((step.generator.hostLagMs ?? 0) > CALM_LAG_MS) return;
  const { rhythm } = courseOf(step);
  if (rhythm !== null) search.rhythms.push(rhythm);
  else if (search.rhythms.length === 0) search.soughtMs = soughtAfter(search.soughtMs, step);
}

/**
 * Which standstills the next step at this rate is made for: all of them where the last one said
 * nothing either, as it may be the rate that nothing ends at.
 */
function standstillKnownMs({ steps, standstillMs }: Search, rate: number): number {
  const last = steps.at(-1);
  const isRepeated = last?.outcome === "withdrawn" && last.ratePerSecond === rate;
  return isRepeated ? Number.POSITIVE_INFINITY : standstillMs;
}

/** Credits that have run out are no matter of rates; a store of them may be away for a moment. */
function takeUntaken(search: Search, untaken: string | null): void {
  if (untaken !== null && search.wasUntaken) {
    search.end = "budget";
    search.notes.push(`${untaken}: no other rate was tried`);
  }
  search.wasUntaken = untaken !== null;
}

function errorsUpTo(rate: number, steps: readonly CapacityStep[]): Errors {
  return errorsIn(
    steps.filter(({ ratePerSecond, outcome }) => {
      return outcome !== "withdrawn" && (ratePerSecond ?? 0) <= rate;
    }),
  );
}

/** How jobs are waited for after a step that left some behind. */
function waitAfter(wait: Wait, order: CapacityOrder, { outcome }: CapacityStep): Wait {
  if (outcome === "withdrawn") return wait === "usual" ? "long" : wait;
  return outcome === "fail" && waitsLongest(order) ? "vain" : wait;
}

/** The first rate that was kept tells what had grown in the steps before; they failed anyway. */
function explainBlind({ objectives }: CapacityOptions, { blind, steps }: Search): void {
  const base = baseOf(steps);
  if (base === null) return;
  for (const [at, { phase, order, measurement }] of blind) {
    const step = steps[at];
    const below = errorsUpTo(order.ratePerSecond, steps);
    const { failures } = judgeStep(order, measurement, { phase, objectives, base, below });
    if (step !== undefined && failures.length > 0) steps[at] = { ...step, failures };
  }
  blind.clear();
}

function attemptOf(
  phase: SearchPhase,
  { ratePerSecond: rate }: CapacityOrder,
  outcome: Attempt["outcome"],
  throughput: number | null,
): Attempt {
  return { phase, rate, outcome, throughput };
}
