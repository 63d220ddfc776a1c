/** What a search takes of time and budget, told before it starts, and once it has too little. */

import { nowMs } from "../clock/system-clock.ts";
import type { Spent } from "../contract/limits/budget.ts";
import { affords, costOfMore, sumOf } from "../contract/limits/budget.ts";
import { forgottenWithinMs } from "../contract/limits/capacity-rates.ts";
import type { CapacityOrder } from "../contract/run/capacity-step.ts";
import { duration, figure } from "../report/text.ts";
import { baseOf } from "./bottleneck.ts";
import type { CapacityOptions } from "./options.ts";
import { runsToCome } from "./search.ts";
import type { Search } from "./search-state.ts";
import { meanRunMs, neededMs, stepMs } from "./step-plan.ts";

/** Ours: between two steps the last jobs end, and a process starts. */
const BETWEEN_MS = 2_000;
/** Doubling from the lowest rate, in short steps. */
const RANGE_STEPS = 5;
/** Ours: a service that does not vary takes as many runs of full length. */
const FULL_RUNS = 10;

type Asked = Pick<
  CapacityOptions,
  "of" | "stepMs" | "endpoint" | "beyondPlan" | "objectives" | "keys"
>;

/** Of a search that ends about there, with short jobs. */
function wholeMs(options: Asked, rate: number): number {
  const range = RANGE_STEPS * (stepMs(options, "search", rate, 0) + BETWEEN_MS);
  return range + FULL_RUNS * (meanRunMs(options, rate, 0) + BETWEEN_MS);
}

/** Ours: rates are told in steps of a tenth. */
const FINER = 1.1;

/** Said beforehand, where the time does not do for all edges; null: it does. */
export function shortTime(
  options: Asked & Pick<CapacityOptions, "timeMs" | "startRate">,
  rateMax: number,
): string | null {
  const { startRate, timeMs, of } = options;
  const atStartMs = wholeMs(options, startRate);
  if (atStartMs <= timeMs) return null;
  const longer = `for ${figure(startRate)} a second --time ${minutes(atStartMs)}`;
  let rate = startRate;
  while (rate < rateMax && wholeMs(options, rate) > timeMs) rate *= FINER;
  const time = duration(timeMs);
  if (rate >= rateMax) return `${time} is too little, even with short ${of}; ${longer}`;
  return `${time} is enough for about ${figure(rate)} short ${of} a second or more; ${longer}`;
}

/** Said beforehand, where the budget in jobs does not do for all edges; null: it does. */
export function shortBudget(
  options: Asked & Pick<CapacityOptions, "budget" | "startRate">,
  rateMax: number,
): string | null {
  const left = options.budget?.jobs ?? null;
  const [least, most] = [options.startRate, rateMax].map((rate) => wholeJobs(options, rate));
  if (left === null || least === undefined || most === undefined || left >= most) return null;
  const edges = `an edge near ${figure(options.startRate)} a second takes about ${least}`;
  const what = `the budget of ${left} jobs may be too small`;
  return `${what}: ${edges}, one near ${figure(rateMax)} about ${most}`;
}

function wholeJobs(options: Asked, rate: number): number {
  const ms = 2 * stepMs(options, "search", rate, 0) + FULL_RUNS * meanRunMs(options, rate, 0);
  return Number(((rate * ms) / 1_000).toPrecision(2));
}

/** Ours: start and end of k6, and the jobs that are waited for. */
const AROUND_STEP_MS = 3_000;

/** Why the next step must not start; null when it may. Of so many steps like it, all must fit. */
export function whyNot(
  { timeMs, budget, of, beyondPlan, keys }: CapacityOptions,
  { startedAtMs, spent }: Search,
  { durationMs, ratePerSecond }: CapacityOrder,
  steps = 1,
): "time" | "budget" | null {
  const spendingMs = beyondPlan ? forgottenWithinMs(keys) : 0;
  const stepsMs = steps * (durationMs + AROUND_STEP_MS + spendingMs);
  if (nowMs() - startedAtMs + stepsMs > timeMs) return "time";
  const next = costOfMore(spent, (steps * ratePerSecond * durationMs) / 1_000);
  return of === "requests" || affords(budget, spent, next) ? null : "budget";
}

/** Said when the range is known, where too little time or budget is left; null: it is not. */
export function tooShort(
  options: Asked & Pick<CapacityOptions, "timeMs" | "budget">,
  search: Search,
  rate: number,
  tookMs: number,
): string | null {
  const runs = runsToCome(search.attempts);
  if (runs === null) return null;
  const runMs = meanRunMs(options, rate, neededMs(search, baseOf(search.steps)));
  const wantedMs = tookMs + runs * (runMs + BETWEEN_MS);
  const what = `about ${runs} more ${runs === 1 ? "run" : "runs"} of`;
  if (wantedMs > options.timeMs) {
    const wanted = `would take it to ${duration(wantedMs)}: --time ${minutes(wantedMs)}`;
    return `${what} ${duration(runMs)} ${wanted}`;
  }
  const jobs = Math.ceil((rate * runMs) / 1_000);
  const more = costOfMore(search.spent, runs * jobs);
  if (options.of === "requests" || affords(options.budget, search.spent, more)) return null;
  const total = costText(sumOf(search.spent, more));
  return `${what} ${jobs} jobs would take it to ${total}: raise the budget`;
}

/** With the units that anything was charged in. */
function costText({ jobs, credits, usd }: Spent): string {
  const money = [
    ...(credits > 0 ? [`${figure(credits)} credits`] : []),
    ...(usd > 0 ? [`${figure(usd)} USD`] : []),
  ];
  return [`${jobs} jobs`, ...money].join(", ");
}

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)}m`;
}
