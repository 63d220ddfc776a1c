/** What a planner should know beside the answer: a sentence for each of a few known traps. */

import { planRate } from "../contract/capacity-rates.ts";
import type { CapacityStep, Failure } from "../report/capacity-model.ts";
import { figure } from "../report/text.ts";
import { errorsIn, rises } from "./error-share.ts";
import type { CapacityOptions } from "./options.ts";

export interface Found {
  steps: readonly CapacityStep[];
  /** The lowest rate that was not kept. */
  high: number | null;
  bottleneck: Failure | null;
}

export function remarksOf(options: CapacityOptions, found: Found): string[] {
  // Where errors come at any rate, chance keeps one rate and fails a lower one.
  const unstable = evenErrors(found) ?? slowRecovery(found);
  return [limitBelowPlan(options, found), unstable].flatMap((remark) => remark ?? []);
}

/** A limiter of the declared plans would have let these rates pass. */
function limitBelowPlan(
  { keys, of, receiver, beyondPlan }: CapacityOptions,
  { steps, high, bottleneck }: Found,
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
  const shared = keys.length > 1 ? "a limit that the keys share, " : "";
  const why = `${shared}a limit on jobs at once, or smaller plans than declared`;
  const burst = "bursts were not spent first, so less may be sustained: --beyond-plan tells";
  return beyondPlan ? `${what}: ${why}` : `${what}: ${why}; ${burst}`;
}

/** Ours: nearer to a rate that was kept chance may fail a step. */
const WELL_BELOW = 0.75;

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

/** Errors of which nothing shows that the load causes them: then the objective sets the figure. */
function evenErrors({ steps, high, bottleneck }: Found): string | null {
  if (bottleneck?.bottleneck !== "errors" || high === null) return null;
  const rate = ({ ratePerSecond }: CapacityStep) => ratePerSecond ?? 0;
  const low = errorsIn(steps.filter((step) => rate(step) < high * WELL_BELOW));
  const rest = errorsIn(steps.filter((step) => rate(step) >= high));
  if (rises(rest, low)) return null;
  const below = low.of === 0 ? "" : `${low.errors} of ${low.of} failed well below the edge, `;
  const failed = `${below}${rest.errors} of ${rest.of} from ${figure(high)} a second on`;
  const why = "if the load does not cause them, --slo errors<... sets the result";
  return `errors did not clearly rise with the rate: ${failed}; ${why}`;
}
