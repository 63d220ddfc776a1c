/** Makes the plan of one step: how long, with which bounds, for which keys and worker. */

import { forgottenWithinMs } from "../contract/limits/capacity-rates.ts";
import type { CapacityOrder } from "../contract/run/capacity-step.ts";
import type { Budget, RunPlan } from "../contract/run/run-plan.ts";
import { NO_ROLES, RUN_PLAN_SCHEMA_VERSION } from "../contract/run/run-plan.ts";
import { promisedTimes } from "../contract/time/promised-times.ts";
import type { CapacityStep } from "../report/capacity-model.ts";
import type { Wait } from "./judge-step.ts";
import { DRAIN_MS_MAX } from "./judge-step.ts";
import { errorsMax } from "./objectives.ts";
import type { CapacityOptions } from "./options.ts";
import { periodSeconds } from "./rhythm.ts";
import type { SearchPhase } from "./search.ts";
import type { Search } from "./search-state.ts";
import { WAITS_IN_A_STEP } from "./standstill.ts";
import { meanOf } from "./statistics/moments.ts";

/**
 * Ours: a step that only looks for the range takes half as long as one that counts. Thirds of both
 * are whole half seconds, in which a step's series is kept.
 */
const SEARCH_SHARE = 0.5;
const STEP_UNIT_MS = 1_500;
/** Ours: a third of it outlasts the window that was used up before; two or more are counted. */
const WINDOWS_IN_A_STEP = 4.5;
/** Ours: with fewer jobs after the warm-up, one more or less is a difference of per cents. */
const COUNTED_MIN = 200;
/** Ours: a step that only looks for the range shows something of a few jobs, of none nothing. */
const SEEN_MIN = 3;
/** The rest is two periods at least, which are compared. */
const WARM_UPS_IN_A_STEP = 3;
/** Ours: nobody waits longer for more jobs in one step of many, unless asked to by `--step`. */
const STEP_MS_MAX = 120_000;
/** Ours: jobs that a step left behind are waited for, several times as long as they take. */
const DRAIN = { lives: 6, livesMin: 2, msMin: 20_000 };
/** Ours: harm is well beyond what the objectives allow, so that a step can show what fails. */
const HARM = { share: 0.1, factor: 5, latencyFactor: 3 };
/** Ours: without an objective, answers that take so many times as long are harm. */
const CEILING = { factor: 10, plusMs: 1_000 };
/** Ours: longer steps are asked for to see slow phases, in which so much of them may wait. */
const SLOW_SHARE = 1 / 5;
const USUAL_STEP_MS = 9_000;
/** Ours: jobs of so many seconds may wait beyond what run at once; the next step waits for them. */
const BACKLOG = { lives: 1.5, seconds: 2.5, jobs: 10 };

type Asked = Pick<
  CapacityOptions,
  "of" | "stepMs" | "endpoint" | "beyondPlan" | "objectives" | "keys"
>;
type Planned = Pick<CapacityOptions, "of" | "target" | "worker" | "keys" | "receiver" | "seed">;

type Learnt = Pick<
  Search,
  "stretch" | "newsLagMs" | "standstillMs" | "rhythms" | "soughtMs" | "wait"
>;
const NOTHING_LEARNT: Learnt = {
  stretch: 1,
  newsLagMs: 0,
  standstillMs: 0,
  rhythms: [],
  soughtMs: 0,
  wait: "usual",
};

/** `base`: the lowest rate that was kept; `last`: the step before this one. */
export function orderOf(
  options: Asked,
  phase: SearchPhase,
  rate: number,
  base: CapacityStep | null,
  last: CapacityStep | null = base,
  learnt: Learnt = NOTHING_LEARNT,
): CapacityOrder {
  const { stretch, newsLagMs, standstillMs, wait } = learnt;
  // Until a rate is kept, what runs take is all that is known of how long jobs usually live.
  const lifeMs = (base === null ? last?.runMs?.p95 : base.latencyMs?.p95) ?? 0;
  const slowMs = Math.max(standstillMs, (options.stepMs - USUAL_STEP_MS) * SLOW_SHARE);
  const waitMs = Math.max(lifeMs, slowMs);
  const longestMs = Math.max(STEP_MS_MAX, options.stepMs);
  const stretched = { ...options, stepMs: Math.min(longestMs, options.stepMs * stretch) };
  return {
    of: options.of,
    ratePerSecond: rate,
    durationMs: stepMs(stretched, phase, rate, neededMs(learnt, base ?? last)),
    drainMsMax: drainMs(lifeMs, last, wait),
    endpoint: options.endpoint,
    beyondPlan: options.beyondPlan,
    harmShare: Math.max(HARM.share, Math.min(1, errorsMax(options.objectives) * HARM.factor)),
    latencyCeilingMs: ceilingMs(options, base, slowMs),
    backlogMax:
      options.of === "requests" || base === null
        ? null
        : backlogMax(rate, waitMs * BACKLOG.lives + newsLagMs),
  };
}

function backlogMax(rate: number, usualMs: number): number {
  return Math.ceil(rate * (usualMs / 1_000 + BACKLOG.seconds) + BACKLOG.jobs);
}

/**
 * How long a step must last to tell anything of the jobs of this one: a few times as long as they
 * live, or wait for a pause to end; where this comes again and again, a period and two that
 * are compared.
 */
export function neededMs(learnt: Learnt, seen: CapacityStep | null): number {
  const period = periodSeconds(learnt.rhythms);
  const runMs = seen?.runMs;
  const lifeMs = seen?.outcome === "pass" ? seen.latencyMs?.p95 : runMs?.p95;
  if (period === null) {
    const waitMs = Math.max(lifeMs ?? 0, learnt.standstillMs);
    return Math.max(waitMs * WAITS_IN_A_STEP, learnt.soughtMs ?? 0);
  }
  // The first batch is a part of one: what runs is as usual once it has ended.
  const warmUpMs = period * 1_000 + (runMs?.p50 ?? 0);
  return Math.max((runMs?.p95 ?? lifeMs ?? 0) * WAITS_IN_A_STEP, warmUpMs * WARM_UPS_IN_A_STEP);
}

/** Length of a step that must not be shorter than that. */
export function stepMs(options: Asked, phase: SearchPhase, rate: number, leastMs: number) {
  const { stepMs, of, keys, beyondPlan } = options;
  const windowsMs = beyondPlan ? forgottenWithinMs(keys) * WINDOWS_IN_A_STEP : 0;
  const wantedMs = Math.max(stepMs, windowsMs) * (phase === "search" ? SEARCH_SHARE : 1);
  const countedMs = ((phase === "search" ? SEEN_MIN : COUNTED_MIN) / rate) * 1_500;
  const neededMs = of === "jobs" ? leastMs : 0;
  const leastCountedMs = Math.min(STEP_MS_MAX, countedMs);
  const lengthMs = Math.max(wantedMs, leastCountedMs, neededMs);
  return Math.max(1, Math.ceil(lengthMs / STEP_UNIT_MS)) * STEP_UNIT_MS;
}

/**
 * Ours: runs at one rate are longer each time: steps of one length, one after the other, may all
 * fall into the same phase of a service that works faster and slower in turns.
 */
const LONGER = { shares: [1, 1.2, 1.4], msMax: 30_000 };

/** Length of a step after so many runs at its rate. */
export function longerMs(durationMs: number, runs: number): number {
  if (durationMs > LONGER.msMax) return durationMs;
  const longer = durationMs * (LONGER.shares[runs % LONGER.shares.length] ?? 1);
  return Math.round(longer / STEP_UNIT_MS) * STEP_UNIT_MS;
}

/** On average of all runs at one rate. */
export function meanRunMs(options: Asked, rate: number, leastMs: number): number {
  const firstMs = stepMs(options, "confirm", rate, leastMs);
  return meanOf(LONGER.shares.map((_, runs) => longerMs(firstMs, runs)));
}

/** After a step in which jobs have not ended, as long as it takes to see it. */
function drainMs(lifeMs: number, last: CapacityStep | null, wait: Wait): number {
  const isLong = wait === "long" || (last !== null && last.latencyMs === null);
  const usualMs = isLong ? DRAIN_MS_MAX : Math.min(DRAIN_MS_MAX, lifeMs * DRAIN.lives);
  return Math.max(DRAIN.msMin, usualMs, lifeMs * DRAIN.livesMin);
}

/** Nobody waits for jobs beyond the time of the search, but for what they are known to need. */
export function drainWithin(order: CapacityOrder, leftMs: number, base: CapacityStep | null) {
  const leastMs = Math.max(DRAIN.msMin, (base?.latencyMs?.p95 ?? 0) * DRAIN.livesMin);
  const drainMsMax = Math.min(order.drainMsMax, Math.max(leastMs, leftMs - order.durationMs));
  return { ...order, drainMsMax };
}

function ceilingMs(
  { objectives }: Asked,
  base: CapacityStep | null,
  standstillMs: number,
): number | null {
  const bounds = objectives.flatMap((each) => {
    return each.kind === "quantile" && each.figure === "latency" ? [each.belowMs] : [];
  });
  if (bounds.length > 0) return Math.max(...bounds) * HARM.latencyFactor;
  const usualMs = base?.latencyMs?.p50;
  return usualMs === undefined ? null : usualMs * CEILING.factor + CEILING.plusMs + standstillMs;
}

export function planOf(options: Planned, capacity: CapacityOrder, budget: Budget): RunPlan {
  const { target, worker, keys, receiver } = options;
  return {
    schemaVersion: RUN_PLAN_SCHEMA_VERSION,
    baseUrl: target.baseUrl,
    times: promisedTimes(target),
    seed: options.seed,
    // Without k6's own metrics where none are read: they take memory for each request.
    profile: options.of === "jobs" ? "soak" : "standard",
    promises: [],
    keys,
    roles: { ...NO_ROLES, loaded: keys.map(({ name }) => name), caller: keys[0]?.name ?? null },
    workers: worker === null ? {} : { success: worker },
    publish: null,
    cancel: null,
    tolerances: target.tolerances,
    receiver: receiver.access,
    receiverMissing: receiver.missing,
    receiverReach: "unknown",
    load: null,
    capacity,
    budget,
  };
}
