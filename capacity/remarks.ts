/** What a planner should know beside the answer: a sentence for each of a few known traps. */

import { planRate } from "../contract/limits/capacity-rates.ts";
import type { CapacityStep, Failure } from "../report/capacity-model.ts";
import { duration, figure } from "../report/text.ts";
import { baseOf } from "./bottleneck.ts";
import { evenErrors, WELL_BELOW } from "./error-share.ts";
import type { CapacityOptions } from "./options.ts";
import {
  isNoLimitAtOnce,
  keysRemark,
  limitRemark,
  standstillRemark,
  turnsRemark,
} from "./queue-remarks.ts";
import type { Search } from "./search-state.ts";
import { longestStandstillMs } from "./standstill.ts";
import { overloadThroughput } from "./throughput.ts";

export interface Found {
  steps: readonly CapacityStep[];
  /** The lowest rate that was not kept. */
  high: number | null;
  bottleneck: Failure | null;
  /** What the steps tell of jobs in flight. */
  crowdings: Search["crowdings"];
  /** Whose limit was met, where several keys told it. */
  whose: Search["whose"];
}

export function remarksOf(options: CapacityOptions, found: Found): string[] {
  // Where errors come at any rate, chance keeps one rate and fails a lower one.
  const unstable = unrelatedErrors(found) ?? slowRecovery(found) ?? unevenPace(found);
  const { bottleneck, crowdings, steps } = found;
  const crowded = crowdings.map(({ crowding }) => crowding);
  const isRefused = bottleneck?.bottleneck === "limiter" || bottleneck?.bottleneck === "errors";
  const isWaiting = bottleneck?.bottleneck === "limiter" && !options.beyondPlan;
  const atOnce = isRefused ? limitRemark(crowded, isWaiting) : null;
  const overloads = crowdings.filter(({ outcome }) => outcome === "fail");
  const remarks = [
    atOnce ?? limitBelowPlan(options, found),
    found.whose,
    keysRemark(overloads.map(({ crowding }) => crowding)),
    unstable,
    slowerJobs(options, found),
    rareLongRuns(found),
    standstillRemark(steps) ?? turnsRemark(steps),
    polledAnswers(options, found),
  ];
  return remarks.flatMap((remark) => remark ?? []);
}

/** Ours: so much longer is another service to whoever waits, and no noise of a machine. */
const SLOWER = { factor: 2, ms: 100 };

/** Where nothing bounds times, rates are kept at which everybody waits. */
function slowerJobs({ objectives, of }: CapacityOptions, { steps }: Found): string | null {
  const base = baseOf(steps);
  if (base === null || objectives.some(({ kind }) => kind === "quantile")) return null;
  const medianMs = ({ latencyMs }: CapacityStep) => latencyMs?.p50 ?? 0;
  const leastMs = Math.max(medianMs(base) * SLOWER.factor, medianMs(base) + SLOWER.ms);
  const slower = baseOf(steps.filter((step) => medianMs(step) > leastMs));
  if (slower === null) return null;
  const [at, from] = [slower, base].map((step) => {
    return `${Math.round(medianMs(step))} ms at ${figure(step.ratePerSecond ?? 0)} a second`;
  });
  return `${of} took ${at}, and ${from} (medians): an objective such as p95<2s bounds that`;
}

/** Ours: what one job in hundreds adds to the mean run counts from a tenth of a usual run on. */
const LONG_RUN_SHARE = 0.1;

/**
 * Steps are as long as nearly all jobs need. A rare one that outlasts a whole step occupies what
 * runs it after the step was judged: with enough of them the rate is not sustained.
 */
function rareLongRuns({ steps }: Found): string | null {
  const seen = steps.filter(({ phase, runMs, seconds, stopped }) => {
    const isFull = phase !== "search" && stopped === null;
    if (!isFull || runMs === null || runMs.max < seconds * 1_000) return false;
    return runMs.max / runMs.count >= LONG_RUN_SHARE * runMs.p50;
  });
  const [first] = seen;
  if (first === undefined) return null;
  const longest = Math.max(...seen.map(({ runMs }) => runMs?.max ?? 0));
  const [ran, step] = [longest, first.seconds * 1_000].map(duration);
  const outlasted = `a few jobs ran up to ${ran}, steps ${step}`;
  return `${outlasted}: a rate that long ones bring down may be overstated; a longer --step tells`;
}

/** What submissions need, polls may take: a client with webhooks has more of it. */
function polledAnswers({ of, receiver }: CapacityOptions, { bottleneck }: Found): string | null {
  if (bottleneck?.bottleneck !== "answers" || of !== "jobs" || receiver.access !== null)
    return null;
  const what = "each job was polled, as there are no webhooks";
  return `${what}: polls may take what submissions need, and with webhooks more may be kept`;
}

/** A limiter of the declared plans would have let these rates pass. */
function limitBelowPlan(
  { keys, of, receiver, beyondPlan }: CapacityOptions,
  { steps, high, bottleneck, crowdings, whose }: Found,
): string | null {
  const plans = planRate(keys, of, receiver.access !== null);
  const isDeclared = keys.every(({ sustained }) => sustained !== null);
  if (bottleneck?.bottleneck !== "limiter" || !isDeclared) return null;
  const isBelow = steps.some(({ ratePerSecond, failures: [first] }) => {
    const rate = ratePerSecond ?? 0;
    return first?.bottleneck === "limiter" && rate >= (high ?? plans) && rate < plans;
  });
  if (!isBelow) return null;
  const what = `429 responses came though the declared plans allow ${figure(plans)} a second`;
  const others = keys.length > 1 ? "the keys share" : "its account, or the service, has";
  const shared = whose === null ? `a limit that ${others}, ` : "";
  const isRate = isNoLimitAtOnce(crowdings.map(({ crowding }) => crowding));
  const atOnce = isRate ? "" : "a limit on jobs at once, or ";
  const why = `${shared}${atOnce}smaller plans than declared`;
  const burst = "bursts were not spent first, so less may be sustained: --beyond-plan tells";
  return beyondPlan ? `${what}: ${why}` : `${what}: ${why}; ${burst}`;
}

/** A rate well below one that was kept failed, after an overload; limiters do that by design. */
function slowRecovery({ steps, bottleneck }: Found): string | null {
  if (bottleneck?.bottleneck === "limiter") return null;
  let kept = 0;
  let overload: number | null = null;
  for (const { ratePerSecond, outcome } of steps) {
    const rate = ratePerSecond ?? 0;
    if (outcome === "pass" && overload === null) kept = Math.max(kept, rate);
    if (outcome !== "fail") continue;
    if (overload !== null && rate < kept * WELL_BELOW) {
      const before = `though ${figure(kept)} was before`;
      const why = "the service recovers slowly, or has changed: try a --max-rate below that";
      return `${figure(rate)} a second was not kept after ${figure(overload)}, ${before}; ${why}`;
    }
    if (rate > kept) overload = Math.max(overload ?? 0, rate);
  }
  return null;
}

/** Ours: so much more than overload completes is no chance of the few jobs of a short step. */
const UNEVEN = 1.5;

/**
 * A rate was kept that is well above what was completed while more was offered, and queued: one
 * figure does not describe such a service. Runs that share something end late when they are many,
 * so that short overloads of these complete less by nature.
 */
function unevenPace({ steps }: Found): string | null {
  for (const [at, step] of steps.entries()) {
    const done = step.failures[0]?.bottleneck === "queue" ? overloadThroughput(step) : null;
    if (done === null) continue;
    const [before = 0, after = 0] = [steps.slice(0, at), steps.slice(at)].map(highestKept);
    const [offered, completed] = [step.ratePerSecond ?? 0, done].map(figure);
    const what = `at ${offered} a second only ${completed} were completed`;
    if (before >= done * UNEVEN) {
      const why = "overload costs throughput, or the service was slower then";
      const kept = `though ${figure(before)} were kept before`;
      return `${what}, ${kept}: ${why}; stay well below the edge`;
    }
    if (after >= done * UNEVEN && turnsRemark(steps) === null) {
      const stoodMs = longestStandstillMs(step);
      const grew = "the service grew meanwhile, as with slow autoscaling";
      const why = stoodMs > 0 ? `no job ended for ${duration(stoodMs)} then` : grew;
      const kept = `though ${figure(after)} were kept later`;
      return `${what}, ${kept}: ${why}; a longer --step tells more`;
    }
  }
  return null;
}

function highestKept(steps: readonly CapacityStep[]): number {
  const kept = steps.filter(({ outcome }) => outcome === "pass");
  return Math.max(0, ...kept.map(({ ratePerSecond }) => ratePerSecond ?? 0));
}

/** Errors of which nothing shows that the load causes them: then the objective sets the figure. */
function unrelatedErrors({ steps, high, bottleneck }: Found): string | null {
  if (bottleneck?.bottleneck !== "errors" || high === null) return null;
  const even = evenErrors(steps, high);
  if (even === null) return null;
  const { low, rest } = even;
  const below = low.of === 0 ? "" : `${low.errors} of ${low.of} failed well below the edge, `;
  const failed = `${below}${rest.errors} of ${rest.of} from ${figure(high)} a second on`;
  const why = "if the load does not cause them, --slo errors<... sets the result";
  return `errors did not clearly rise with the rate: ${failed}; ${why}`;
}
