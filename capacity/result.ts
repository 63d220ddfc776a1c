/** From a search to its result: estimate, bottleneck, and the answer in a sentence. */

import { nowMs } from "../clock/system-clock.ts";
import { planRate } from "../contract/limits/capacity-rates.ts";
import { targetHead } from "../contract/target.ts";
import type {
  CapacityBound,
  CapacityEstimate,
  CapacityOutcome,
  CapacityResult,
  Failure,
  ScalabilityFit,
} from "../report/capacity-model.ts";
import { CAPACITY_SCHEMA_VERSION } from "../report/capacity-model.ts";
import { figure } from "../report/text.ts";
import { packageVersion } from "../runner/package-root.ts";
import { firstToGive } from "./bottleneck.ts";
import { errorsIn } from "./error-share.ts";
import { estimateEdge } from "./estimate.ts";
import { hiddenGrowth, isUnsteady } from "./growth.ts";
import type { CapacityOptions } from "./options.ts";
import { remarksOf } from "./remarks.ts";
import type { LoadPoint } from "./scalability.ts";
import { fitScalability } from "./scalability.ts";
import type { Attempt } from "./search.ts";
import { bracketOf } from "./search.ts";
import type { Search } from "./search-state.ts";
import { unevenOf } from "./uneven.ts";

export function resultOf(options: CapacityOptions, search: Search): CapacityResult {
  const { signal, keys, of, receiver, target, beyondPlan } = options;
  const { steps } = search;
  const { low, high } = bracketOf(search.attempts);
  const hasEdge = low !== null && search.end !== "errors";
  const edge = hasEdge && high !== null ? edgeOf(search, high) : null;
  const uneven = edge === null ? null : unevenOf(search, edge);
  const estimate = uneven === null ? edge : null;
  const outcome = uneven === null ? outcomeOf(search, low, high, edge) : "none";
  const anyRate = anyRateOf(search);
  const bottleneck = anyRate ?? bottleneckOf(search, outcome, low);
  const bound = boundOf(search);
  const unsteady = unsteadyOf(search);
  const none = anyRate === null ? null : `no rate was kept: ${anyRate.text}`;
  const untold = outcome === "none" ? untoldOf(search, uneven) : none;
  const interrupted = signal.aborted;
  const answer = { outcome, low, high, estimate, bottleneck, bound, unsteady, interrupted };
  const fit = fitScalability(loadPoints(search));
  const found = { steps, high, bottleneck, crowdings: search.crowdings, whose: search.whose };
  const law = typeof fit === "string" ? null : withinEdge(fit, high);
  return {
    schemaVersion: CAPACITY_SCHEMA_VERSION,
    of,
    mode: "paced",
    outcome,
    summary: untold ?? summaryOf(of, answer),
    exitCode: interrupted ? 105 : exitCodeOf(outcome, bound),
    interrupted,
    seed: options.seed,
    startedAt: new Date(search.startedAtMs).toISOString(),
    finishedAt: new Date(nowMs()).toISOString(),
    tool: {
      plumbline: packageVersion(),
      k6: options.k6.version,
      autocannon: null,
      node: process.versions.node,
    },
    target: { ...targetHead(target), variant: search.variant },
    subject: {
      worker: options.worker?.id ?? null,
      endpoint: of === "requests" ? options.endpoint : null,
      keys: keys.map(({ name }) => name),
    },
    objectives: options.objectives.map(({ text }) => text),
    limits: {
      maxRatePerSecond: options.maxRate,
      planRatePerSecond: keys.every(({ sustained }) => sustained === null)
        ? null
        : planRate(keys, of, receiver.access !== null),
      beyondPlan,
      timeSeconds: options.timeMs / 1_000,
      budget: options.budget,
    },
    estimate,
    bottleneck,
    bound,
    scalability: law,
    scalabilityMissing: typeof fit === "string" ? fit : null,
    steps,
    spent: search.spent,
    notes: [...new Set([...search.notes, ...remarksOf(options, found)])],
  };
}

/**
 * Runs of full length count, and the failures of the first search beyond the edge: what fails in
 * less time fails. Its other runs only where there are no full ones.
 */
function edgeOf({ attempts, steps }: Search, edge: number): CapacityEstimate | null {
  const trials = (runs: readonly Attempt[]) =>
    runs.flatMap(({ rate, outcome }) => {
      return outcome === "withdrawn" ? [] : [{ rate, isKept: outcome === "pass" }];
    });
  const counted = attempts.filter(({ phase, rate, outcome }) => {
    return phase !== "search" || (outcome === "fail" && rate >= edge);
  });
  const hidden = (near: { low: number; high: number }) => hiddenGrowth(steps, near);
  return estimateEdge(trials(counted), hidden) ?? estimateEdge(trials(attempts), hidden);
}

/** Ours: a search that was cut short has found something if it knows it as well as that. */
const INTERVAL_MAX = 1.25;

function outcomeOf(
  { end }: Search,
  low: number | null,
  high: number | null,
  estimate: CapacityEstimate | null,
): CapacityOutcome {
  if (end === "untold") return "none";
  if (end === "errors") return "below";
  const isNarrow = estimate !== null && estimate.high / estimate.low <= INTERVAL_MAX;
  if (end === "edge" || isNarrow) return "found";
  // A generator that could go no further has not seen what the service can do.
  if (end === "withdrawn" || high !== null) return end === "below" ? "below" : "none";
  return low === null ? "none" : "at-least";
}

function boundOf(search: Search): CapacityBound | null {
  const { end, ceiling } = search;
  if (end === "max-rate") return ceiling.bound;
  if (end === "withdrawn") return unsteadyOf(search) === null ? "generator" : null;
  return end === "time" || end === "budget" ? end : null;
}

/** Why no step was long enough to tell, in a sentence; null where that did not end the search. */
function unsteadyOf({ end, steps }: Search): string | null {
  const last = steps.at(-1);
  if (end !== "withdrawn" || last === undefined || !isUnsteady(last)) return null;
  return `at ${figure(last.ratePerSecond ?? 0)} ${last.generator.doubt}; a longer --step may tell`;
}

function bottleneckOf(
  search: Search,
  outcome: CapacityOutcome,
  low: number | null,
): Failure | null {
  const { end, steps, notes } = search;
  const first = firstToGive(steps, low);
  const isOwn = end === "withdrawn" && unsteadyOf(search) === null;
  if (!isOwn || outcome === "found") return first;
  const doubt = steps.at(-1)?.generator.doubt ?? notes.at(-1) ?? "it left no figures";
  return { bottleneck: "generator", text: doubt };
}

/** Why no rate is told at all, or no objective could be held against any; null where one was. */
function untoldOf({ end, steps }: Search, uneven: string | null): string | null {
  const why = end === "untold" ? (steps.at(-1)?.generator.doubt ?? null) : uneven;
  return why === null ? null : `no verdict: ${why}`;
}

/** Errors to which the rate does not matter; null where it does. */
function anyRateOf({ end, steps }: Search): Failure | null {
  if (end !== "errors") return null;
  const { errors, of } = errorsIn(steps);
  return { bottleneck: "errors", text: `${errors} of ${of} failed, and no fewer at low rates` };
}

/** Only an answer is a success: an edge, or that the plan or the asked-for rate is kept. */
function exitCodeOf(outcome: CapacityOutcome, bound: CapacityBound | null): 0 | 99 | 111 {
  if (outcome === "found") return 0;
  if (outcome === "below") return 99;
  return outcome === "at-least" && (bound === "plan" || bound === "max-rate") ? 0 : 111;
}

interface Answer {
  outcome: CapacityOutcome;
  low: number | null;
  high: number | null;
  estimate: CapacityEstimate | null;
  bottleneck: Failure | null;
  bound: CapacityBound | null;
  unsteady: string | null;
  interrupted: boolean;
}

/** What sets the bound, as the end of a sentence. */
const BOUND_TEXTS: Readonly<Record<CapacityBound, string>> = {
  "max-rate": "which is as far as --max-rate allowed",
  plan: "which is as far as the plans of the keys allow; --beyond-plan goes on",
  budget: "then the budget, or the account, had no room for more",
  time: "then the time was over",
  generator: "beyond it the generator could not be relied on",
};

function summaryOf(of: string, answer: Answer): string {
  const { outcome, low, high, estimate, bottleneck, bound, unsteady } = answer;
  const unit = `${of} a second`;
  const gives = bottleneck === null ? "" : `; ${GAVE_WAY[bottleneck.bottleneck]}`;
  const ended = answer.interrupted ? "then it was interrupted" : bound && BOUND_TEXTS[bound];
  const why = ended === null ? "" : `; ${ended}`;
  const interval = intervalOf(estimate);
  if (outcome === "found" && estimate !== null) {
    return `about ${figure(estimate.perSecond)} ${unit}${interval}${gives}${why}`;
  }
  if (outcome === "at-least") return `at least ${figure(low ?? 0)} ${unit}${why}`;
  if (outcome === "below") return `less than ${figure(high ?? 0)} ${unit}${gives}`;
  const range =
    high === null ? `at least ${figure(low ?? 0)}` : `${figure(low ?? 0)} to ${figure(high)}`;
  const seen = low === null && high === null ? "" : `: ${range} ${unit}${interval}`;
  return `no verdict${seen}${why}${unsteady === null ? gives : `; ${unsteady}`}`;
}

function intervalOf(estimate: CapacityEstimate | null): string {
  if (estimate === null) return "";
  return ` (${figure(estimate.low)} to ${figure(estimate.high)} with 95 % confidence)`;
}

const GAVE_WAY: Readonly<Record<Failure["bottleneck"], string>> = {
  limiter: "429 responses come first",
  queue: "the queue gives way first",
  workers: "the workers give way first",
  answers: "the answers of the interface give way first",
  errors: "errors come first",
  generator: "the generator gave way, not the service",
  unknown: "what gives way can't be seen",
};

/** Ours: the law fits within 10 %. */
const BEYOND = 1.1;

/** The law knows of what was kept alone: a peak beyond a rate that failed is never reached. */
function withinEdge(fit: ScalabilityFit, high: number | null): ScalabilityFit {
  const isBeyond = high !== null && fit.peak !== null && fit.peak.perSecond > high * BEYOND;
  return isBeyond ? { ...fit, peak: null } : fit;
}

/** Of each rate that was kept: jobs in flight and what was completed. */
function loadPoints({ steps }: Search): LoadPoint[] {
  return steps.flatMap(({ outcome, inFlight, achievedPerSecond }) => {
    if (outcome !== "pass" || inFlight === null || achievedPerSecond === null) return [];
    return [{ inFlight, perSecond: achievedPerSecond }];
  });
}
