/** Judges one step: was it kept, what gave way, or does it say nothing? */

import { generatorDoubt, machineDoubt } from "../contract/judges/load/generator.ts";
import { BUDGET_ENDED } from "../contract/limits/budget.ts";
import { rounded } from "../contract/numbers/figures.ts";
import type { CapacityOrder, StepMeasurement } from "../contract/run/capacity-step.ts";
import type { CapacityStep, Failure } from "../report/capacity-model.ts";
import type { Admission } from "./admission.ts";
import { livesOnBurst } from "./admission.ts";
import { slowdownOf } from "./bottleneck.ts";
import type { Course, Rhythm } from "./course.ts";
import { courseOf, longestOf } from "./course.ts";
import type { Errors } from "./error-share.ts";
import { exceeds } from "./error-share.ts";
import { RESOLUTION } from "./estimate.ts";
import { grows, togetherWith, unsteadiness } from "./growth.ts";
import { brokenQuantiles, errorsMax, quantileObjectives, untoldObjective } from "./objectives.ts";
import type { CapacityObjective, ObjectiveFigure } from "./options.ts";
import { periodSeconds } from "./rhythm.ts";
import type { Slope } from "./slope.ts";
import { slopeByPeriod, slopeOf } from "./slope.ts";
import { standstillDoubt } from "./standstill.ts";

/** Ours: of a hundred requests one may meet a limiter that counts a little differently. */
const REFUSED = { shareMax: RESOLUTION, countMax: 2 };

interface Given {
  phase: CapacityStep["phase"];
  objectives: readonly CapacityObjective[];
  /** The lowest rate that was kept, to compare with; null for the first step. */
  base: CapacityStep | null;
  /** Errors at rates up to this one. */
  below: Errors;
  /** Steps at this rate that could not say whether the backlog grows; left out: none. */
  before?: readonly CapacityStep[];
  /** Left out: as usual. */
  wait?: Wait;
  /** A run of full length failed at this rate, and no busy machine explained it. */
  hasFailed?: boolean;
  /** The step was made for standstills up to that; left out: for any. */
  standstillMs?: number;
  /** What steps before told of when a standstill comes again; left out: nothing. */
  rhythms?: readonly Rhythm[];
  /** Whether longer steps may tell of that. */
  isSought?: boolean;
  /** What steps before told of a limiter; left out: nothing. */
  admissions?: readonly Admission[];
}

/** How jobs are waited for: "long" once some had not ended, "vain" once that did not help. */
export type Wait = "usual" | "long" | "vain";

/** Ours: jobs that a step left behind are waited for no longer, but for twice a known life. */
export const DRAIN_MS_MAX = 120_000;

/** Whether jobs are waited for so long that another step would not see them end either. */
export function waitsLongest({ drainMsMax }: CapacityOrder): boolean {
  return drainMsMax >= DRAIN_MS_MAX;
}

export function judgeStep(order: CapacityOrder, m: StepMeasurement, given: Given): CapacityStep {
  const points = pointsOf(m);
  const course = courseOf({ ...m, points, ratePerSecond: order.ratePerSecond });
  const { rhythm } = course;
  const rhythms = [...(given.rhythms ?? []), ...(rhythm === null ? [] : [rhythm])];
  const slope = order.of === "jobs" ? backlogSlope(m, course, given.base, rhythms) : null;
  const measuredSeconds = Math.max(0, m.seconds - m.warmUpSeconds);
  const errorShare = m.sent === 0 ? 0 : Math.min(1, m.errors / m.sent);
  const achieved = m.answeredPerSecond ?? completedPerSecond(m);
  const latencyMean = m.latencyMs?.p50 ?? null;
  const step: CapacityStep = {
    phase: given.phase,
    startedAtMs: m.startedAtMs,
    seconds: m.seconds,
    measuredSeconds,
    ratePerSecond: order.ratePerSecond,
    connections: null,
    sent: m.measured.sent,
    refused429: m.measured.refused429,
    errors: m.errors,
    errorShare,
    achievedPerSecond: achieved,
    latencyMs: m.latencyMs,
    submitMs: m.submitMs,
    queueWaitMs: m.queueWaitMs,
    runMs: m.runMs,
    backlog: slope === null ? null : backlogOf(slope),
    inFlight:
      slope !== null
        ? (slope.start + slope.end) / 2
        : achieved === null || latencyMean === null
          ? null
          : (achieved * latencyMean) / 1_000,
    generator: {
      dropped: m.generator.dropped,
      latenessMs: Math.max(m.generator.lagP99Ms, m.generator.loopDelayP99Ms),
      hostLagMs: m.hostLag.wholeMs,
      doubt: null,
    },
    outcome: "pass",
    failures: [],
    stopped: m.stopped,
    points,
  };
  const failures = failuresOf(order, m, step, slope, given);
  const unsteady = failures.length === 0 ? unsteadiness(step) : null;
  const machine = unsteady === null ? null : machineDoubt(m.hostLag);
  const untold = failures.length === 0 ? untoldObjective(given.objectives, step) : null;
  const others = failuresOf(order, { ...m, leftOpen: 0 }, step, slope, given);
  const unseen = endlessness(order, m, step, others, given);
  const { standstillMs = Number.POSITIVE_INFINITY, isSought = false } = given;
  const known = { standstillMs, isSought };
  const isTold = m.leftOpen > 0 || rhythm !== null;
  const paused = isTold ? null : standstillDoubt({ ...step, failures }, known);
  const own = doubtOf(order, m, step, failures, given);
  const isPaused = own === null && paused !== null;
  const other = own ?? paused ?? unseen ?? untold ?? machine;
  const doubt = other ?? unsteady;
  const isUnsteady = other === null && unsteady !== null;
  const kind = isPaused ? "standstill" : isUnsteady ? "unsteady" : null;
  return {
    ...step,
    failures,
    generator: { ...step.generator, doubt, ...(kind === null ? {} : { doubtKind: kind }) },
    outcome: doubt !== null ? "withdrawn" : failures.length > 0 ? "fail" : "pass",
  };
}

function backlogOf({ start, end, perSecond, error }: Slope): CapacityStep["backlog"] {
  return { start, end, slopePerSecond: perSecond, slopeError: error };
}

/** Ours: what a generator that catches up sends in one go, a limiter refuses as a burst. */
const REFUSED_FOR_SURE_SHARE = 0.1;
/** Ours: where more is missing the rate was another one; one or two are cut off at the ends. */
const MISSING = { shareMax: 0.03, countMax: 3 };

/**
 * What was sent late and still kept is kept, as long as it was sent: bursts are harder than an even
 * rate. A failure may be the doing of a late generator, or of a busy machine.
 */
function doubtOf(
  order: CapacityOrder,
  m: StepMeasurement,
  step: CapacityStep,
  failures: readonly Failure[],
  { objectives, base, below, hasFailed = false }: Given,
): string | null {
  if (m.stopped === BUDGET_ENDED) return m.stopped;
  if (m.untaken !== null) return m.untaken;
  if (m.sent === 0 && m.stopped === null) return "nothing was sent";
  const late = generatorDoubt(m.generator);
  const { sent } = m.measured;
  const due = order.ratePerSecond * step.measuredSeconds;
  const isShort = due - sent > Math.max(MISSING.countMax, MISSING.shareMax * due);
  if (failures.length === 0) return isShort ? (late ?? `only ${sent} were sent`) : null;
  const is = (name: Failure["bottleneck"]) => failures.some((each) => each.bottleneck === name);
  if (is("limiter")) return isRefusedForSure(m.measured) ? null : late;
  // Users that wait for slow answers can't send: that is the service's doing.
  if (late !== null && !(is("answers") && order.of === "requests")) return late;
  const isItsOwn = exceeds(errorsOf(m.serviceErrors, m), below, errorsMax(objectives));
  return isItsOwn || hasFailed || ranAsUsual(step, base) ? null : machineDoubt(m.hostLag);
}

/** A single 429 that asks for a second's wait holds back as many jobs as are due in it. */
function isRefusedForSure({ sent, refused429, answered429 }: StepMeasurement["measured"]): boolean {
  const isRepeated = (answered429 ?? refused429) > REFUSED.countMax;
  return isRepeated && refused429 > REFUSED_FOR_SURE_SHARE * sent;
}

/** A request may meet several errors, as its job's polls are requests, too. */
function errorsOf(errors: number, { sent }: StepMeasurement): Errors {
  return { errors: Math.min(errors, sent), of: sent };
}

/** Ours: a machine that starves a service beside it makes its runs and its answers late as well. */
const USUAL = { share: 1.05, ms: 20 };

function ranAsUsual(step: CapacityStep, base: CapacityStep | null): boolean {
  return [
    [step.runMs, base?.runMs],
    [step.submitMs, base?.submitMs],
  ].every(([after, before]) => {
    return after != null && before != null && after.p50 <= before.p50 * USUAL.share + USUAL.ms;
  });
}

function failuresOf(
  order: CapacityOrder,
  m: StepMeasurement,
  step: CapacityStep,
  slope: Slope | null,
  { objectives, base, below, before = [], admissions = [] }: Given,
): Failure[] {
  const slow = (why: string, figure: ObjectiveFigure | null = null): Failure =>
    slowdownOf(step, base, why, figure);
  const failures: Failure[] = [];
  const { sent, refused429 } = m.measured;
  if (refused429 > REFUSED.countMax && refused429 / Math.max(1, sent) > REFUSED.shareMax) {
    failures.push({ bottleneck: "limiter", text: refusalsIn(m.measured) });
  }
  const lent = refused429 === 0 ? livesOnBurst(order, m.seconds, admissions) : null;
  if (lent !== null) failures.push({ bottleneck: "limiter", text: lent });
  if (exceeds(errorsOf(m.errors, m), below, errorsMax(objectives))) {
    const text = `${m.errors} of ${m.sent} failed: ${m.errorKinds.join(", ")}`;
    failures.push({ bottleneck: "errors", text });
  }
  for (const { why, figure } of brokenQuantiles(objectives, step)) failures.push(slow(why, figure));
  const growth = slope === null ? null : growthIn(slope, order, step, before);
  if (growth !== null) failures.push(slow(growth));
  if (m.stopped !== null && failures.length === 0) failures.push(slow(m.stopped));
  if (m.leftOpen > 0 && failures.length === 0) {
    failures.push(slow(`${m.leftOpen} jobs had not ended long after the last submission`));
  }
  return failures;
}

function refusalsIn({ sent, refused429, answered429 }: StepMeasurement["measured"]): string {
  if (answered429 === undefined || answered429 === refused429) {
    return `${refused429} of ${sent} requests were answered 429`;
  }
  const waits = `${answered429} 429 ${answered429 === 1 ? "response" : "responses"}`;
  return `${refused429} of ${sent} jobs were refused, or held back as ${waits} asked`;
}

/** How much the backlog surely grew, in a sentence; null where it did not, or may not have. */
function growthIn(
  slope: Slope,
  { ratePerSecond }: CapacityOrder,
  { measuredSeconds }: CapacityStep,
  before: readonly CapacityStep[],
): string | null {
  const isSure = (each: Slope) => grows(each, ratePerSecond, measuredSeconds);
  const what = (each: Slope) => `the backlog grew by ${rounded(each.perSecond, 1)} jobs a second`;
  if (isSure(slope)) return what(slope);
  const all = togetherWith(slope, before);
  return isSure(all) ? `${what(all)}, on average of ${before.length + 1} runs` : null;
}

/**
 * Why jobs that were not seen to end say nothing: long ones may be as they should be, where none
 * was seen to end yet, or where those that ended had not waited for each other.
 */
function endlessness(
  order: CapacityOrder,
  { series, leftOpen, stopped }: StepMeasurement,
  step: CapacityStep,
  others: readonly Failure[],
  { objectives, base, wait }: Given,
): string | null {
  if (leftOpen === 0 || stopped !== null) return null;
  if (others.some(({ bottleneck }) => base !== null || bottleneck !== "unknown")) return null;
  const accepted = series.reduce((sum, each) => sum + each.accepted, 0);
  const isEach = base === null && leftOpen >= accepted;
  const isLate = quantileObjectives(objectives).some(({ figure, belowMs }) => {
    return figure === "latency" && belowMs < order.drainMsMax;
  });
  const tells = isEach ? isLate : wait === "vain" || waitsLongest(order) || !ranAtOnce(step);
  if (tells) return null;
  const open = isEach ? `none of ${leftOpen} jobs had ended` : `${leftOpen} jobs had not ended`;
  return `${open} ${Math.round(order.drainMsMax / 1_000)} s after the last submission`;
}

function ranAtOnce({ queueWaitMs, runMs }: CapacityStep): boolean {
  return queueWaitMs !== null && runMs !== null && queueWaitMs.p95 < runMs.p50;
}

/** Of jobs in flight at the end of each interval of the measured part. */
function backlogSlope(
  m: StepMeasurement,
  { standstills }: Course,
  base: CapacityStep | null,
  rhythms: readonly Rhythm[],
): Slope | null {
  let inFlight = 0;
  const counts = m.series.map(({ accepted, ended }, at) => {
    inFlight += accepted - ended;
    return { atSeconds: (at + 1) * m.stretchSeconds, value: inFlight };
  });
  const counted = counts.slice(...windowOf(m));
  const period = periodSeconds(rhythms);
  const byPeriod = period === null ? null : slopeByPeriod(counted, period);
  if (byPeriod !== null) return byPeriod;
  const usualMs = base?.latencyMs?.p50 ?? m.latencyMs?.p50 ?? 0;
  return slopeOf(counted, Math.max(usualMs, longestOf(standstills)) / 1_000);
}

/** The intervals that lie in the measured part. */
function windowOf({ stretchSeconds, warmUpSeconds, seconds }: StepMeasurement): [number, number] {
  return [Math.round(warmUpSeconds / stretchSeconds), Math.floor(seconds / stretchSeconds)];
}

function completedPerSecond(m: StepMeasurement): number | null {
  const intervals = m.series.slice(...windowOf(m));
  if (intervals.length === 0) return null;
  const completed = intervals.reduce((sum, each) => sum + each.completed, 0);
  return completed / (intervals.length * m.stretchSeconds);
}

function pointsOf({ series, stretchSeconds }: StepMeasurement): CapacityStep["points"] {
  let backlog = 0;
  return series.map(({ offered, accepted, ended, completed }, index) => {
    backlog += accepted - ended;
    return {
      atSeconds: index * stretchSeconds,
      offeredPerSecond: offered / stretchSeconds,
      completedPerSecond: completed / stretchSeconds,
      backlog: Math.max(0, backlog),
    };
  });
}
