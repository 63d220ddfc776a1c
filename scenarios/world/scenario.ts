/** A scenario as a value, and what is the same in the run of each, in whatever world it runs. */

import { decodeJob } from "../../contract/decode/job.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import { unavailableAfterMs } from "../../contract/requests/silence.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { shardPlan } from "../../contract/run/shards.ts";
import { readAccount } from "../client/account.ts";
import type { Context } from "../client/context.ts";
import { contextOf } from "../client/context.ts";
import { askedPromises } from "../client/plan.ts";
import { send } from "../client/send.ts";
import { Liveness } from "./liveness.ts";
import { NothingToObserve } from "./nothing.ts";
import type { Reporter } from "./reporter.ts";
import { reporterOf } from "./reporter.ts";
import { listening } from "./silences.ts";
import type { World } from "./world.ts";

export interface Scenario {
  name: string;
  promises: readonly PromiseId[];
  /** The longest run, after which it is ended from outside. */
  secondsMax(plan: RunPlan): number;
  /** What of that is left for ending in good order; none where it is left out. */
  endingSeconds?: number;
  /** The key of its careful client; the plan's caller where it is left out. */
  callerOf?(plan: RunPlan): string | null;
  /** Whether others may need to know what the caller's account showed before its jobs. */
  opensAccount?: true;
  /** Goes on though nobody is answered: that is what it measures, or it asks others. */
  outlastsService?: true;
  /**
   * Judges read what it observes, once it is over. What it throws ends it: `NothingToObserve`
   * leaves what was asked for unobserved, anything else leaves it inconclusive.
   */
  run(context: Context, report: Reporter): Promise<void>;
}

/** Runs a scenario from its first record to its last. Resolves always. */
export async function runScenario(
  scenario: Scenario,
  outside: World,
  source: RunPlan,
): Promise<void> {
  const plan = withCaller(shardPlan(source, outside.shard), scenario);
  const asked = askedPromises(plan, scenario.promises);
  const report = reporterOf(outside, scenario.name);
  report.registered(asked);
  const seconds = scenario.secondsMax(plan) - (scenario.endingSeconds ?? 0);
  const deadlineAtMs = outside.now() + seconds * 1_000;
  const [listener, silences] = listening(outside, plan.baseUrl, (...heard) =>
    liveness.seen(...heard),
  );
  const liveness = new Liveness(listener, {
    baseUrl: plan.baseUrl,
    probe(timeoutMs, withKey) {
      const key = withKey ? plan.roles.caller : null;
      return send(listener, plan, { method: "GET", route: "workers", key, timeoutMs });
    },
    unavailableMs: unavailableAfterMs(plan),
    deadlineAtMs: scenario.outlastsService ? 0 : deadlineAtMs,
    onGone(sinceMs) {
      report.unavailable(sinceMs);
      context.isGone = true;
      context.deadlineAtMs = listener.now();
    },
  });
  const context = contextOf(liveness.world, plan, asked, report, deadlineAtMs);
  context.answeredUntilMs = () => liveness.answeredUntilMs();
  try {
    await liveness.bound(runWith(scenario, context, report));
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    if (error instanceof NothingToObserve) report.observed("nothing", { reason: what });
    else report.observed("failure", { reason: `the scenario failed: ${what}` });
  }
  report.judge(plan);
  const variant = variantSeen(context);
  if (variant !== null) report.variant(variant);
  report.silences(silences());
  const { jobs, credits, usd } = context.spending.spent();
  report.charges(context.spending.charges());
  report.spent(jobs, credits, usd);
  report.ended();
}

async function runWith(scenario: Scenario, context: Context, report: Reporter): Promise<void> {
  if (scenario.opensAccount) await tellAccount(context, report);
  await scenario.run(context, report);
}

/** Where the balance is asked for later: what its jobs cost may be booked only then. */
async function tellAccount(context: Context, report: Reporter): Promise<void> {
  const { caller, plan } = context;
  if (caller === null || !plan.promises.includes("load.accounting")) return;
  report.account(caller, (await readAccount(context, caller)).amounts);
}

function withCaller(plan: RunPlan, { callerOf }: Scenario): RunPlan {
  if (callerOf === undefined) return plan;
  return { ...plan, roles: { ...plan.roles, caller: callerOf(plan) } };
}

/** The variant of the run, by the first job that tells. */
function variantSeen({ jobs }: Context): "A" | "B" | null {
  for (const { polls } of jobs) {
    for (const poll of polls) {
      const { variant } = decodeJob(jsonBody(poll));
      if (variant !== null) return variant;
    }
  }
  return null;
}
