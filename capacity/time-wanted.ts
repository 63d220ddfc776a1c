/** How long a search takes, told before it starts, and when it is seen that it has too little. */

import { duration, figure } from "../report/text.ts";
import { baseOf } from "./bottleneck.ts";
import type { CapacityOptions } from "./options.ts";
import { runsToCome } from "./search.ts";
import type { Search } from "./search-state.ts";
import { neededMs, stepMs } from "./step-plan.ts";

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
  return range + FULL_RUNS * (stepMs(options, "confirm", rate, 0) + BETWEEN_MS);
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
  if (rate >= rateMax) return `${duration(timeMs)} are short, even with short ${of}; ${longer}`;
  const least = `about ${figure(rate)} short ${of} a second and more`;
  return `${duration(timeMs)} do for ${least}; ${longer}`;
}

/** Said when the range is known, where the time that is left is too short; null: it is not. */
export function tooShort(
  options: Asked & Pick<CapacityOptions, "timeMs">,
  search: Search,
  rate: number,
  tookMs: number,
): string | null {
  const runs = runsToCome(search.attempts);
  if (runs === null) return null;
  const runMs = stepMs(options, "confirm", rate, neededMs(search, baseOf(search.steps)));
  const wantedMs = tookMs + runs * (runMs + BETWEEN_MS);
  if (wantedMs <= options.timeMs) return null;
  const what = `about ${runs} more ${runs === 1 ? "run" : "runs"} of ${duration(runMs)}`;
  return `${what} would take it to ${duration(wantedMs)}: --time ${minutes(wantedMs)}`;
}

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)}m`;
}
