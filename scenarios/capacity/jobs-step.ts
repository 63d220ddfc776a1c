/** Offers jobs at one rate and follows each to its end, with the soak's ledger and feed. */

import { newKeyWatch } from "../../contract/judges/load/within-plan.ts";
import { BUDGET_ENDED } from "../../contract/limits/budget.ts";
import { forgottenWithinMs, keyRate, requestsEach } from "../../contract/limits/capacity-rates.ts";
import { mergeHistograms, quantileOf } from "../../contract/numbers/histogram.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/run/capacity-step.ts";
import type { LoadPlan, RunPlan } from "../../contract/run/run-plan.ts";
import type { BurstSpending } from "../client/burst.ts";
import { askWith, spendBurst } from "../client/burst.ts";
import { readCatalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { pacerAt } from "../client/pacer.ts";
import { planKey } from "../client/plan.ts";
import { newLedger } from "../load/followed/ledger.ts";
import type { Mix } from "../load/offered/mix.ts";
import type { Preparation } from "../load/offered/preparation.ts";
import { newSoak } from "../load/offered/preparation.ts";
import type { Rates } from "../load/offered/rates.ts";
import { runLoad } from "../load/run-load.ts";
import type { Soak } from "../load/soak.ts";
import { NothingToObserve } from "../world/nothing.ts";
import { pollUntil } from "../world/poll-until.ts";
import type { World } from "../world/world.ts";
import { isAtRest } from "./at-rest.ts";
import { addToCrowd, crowdingOf, newCrowd } from "./crowd.ts";
import { measurementOfJobs, startOfMeasuring } from "./measurement.ts";

/** Ours: what is due is noticed this soon. */
const POLL_MS = 100;
/** Ours: fewer requests say nothing of a share. */
const REQUESTS_MIN = 20;

/** The figures. Throws NothingToObserve where there is nothing to offer. */
export async function runJobsStep(
  context: Context,
  plan: RunPlan,
  order: CapacityOrder,
): Promise<StepMeasurement> {
  const { success: worker } = plan.workers;
  if (worker === undefined) throw new NothingToObserve("the plan names no worker to submit to");
  const catalogue = await readCatalogue(context);
  const mix: Mix = { parts: [{ part: "success", worker, weight: 1 }], cancel: null, missing: [] };
  const rates = stepRates(context.world, plan, order);
  const preparation: Preparation = { rates, mix, catalogue };
  const start = { atMs: Number.POSITIVE_INFINITY };
  if (order.beyondPlan) await spendBursts(context.world, plan, rates, start);
  const manners = { ignoresWaits: order.beyondPlan, verifies: false };
  const loaded = { ...plan, load: loadOf(order) };
  const crowd = newCrowd();
  const ledger = newLedger((entry) => addToCrowd(crowd, entry));
  const soak = newSoak(context, loaded, preparation, manners, ledger);
  start.atMs = soak.startMs;
  const measurement = await run(soak, order);
  const endedMs = measurement.startedAtMs + measurement.seconds * 1_000;
  return { ...measurement, crowding: crowdingOf(soak, crowd, endedMs) };
}

async function spendBursts(
  world: World,
  plan: RunPlan,
  { keys }: Rates,
  start: BurstSpending["start"],
) {
  const windowMs = forgottenWithinMs(plan.keys);
  const requests = requestsEach("jobs", plan.receiver !== null);
  await Promise.all(
    keys.map(({ name, submitPerSecond }) => {
      const spending = { perSecond: submitPerSecond * requests, windowMs, start };
      return spendBurst(world, askWith(world, plan, name), spending);
    }),
  );
}

/** Without objectives: the figures are judged where all steps are known. */
function loadOf(order: CapacityOrder): LoadPlan {
  const { ratePerSecond: jobsPerSecond, durationMs, beyondPlan } = order;
  const objectives = {
    throughputShare: null,
    submitP99Ms: null,
    queueWaitP99Ms: null,
    errorShare: null,
    driftShare: null,
  };
  return { jobsPerSecond, durationMs, keys: null, beyondPlan, mix: { success: 1 }, objectives };
}

async function run(soak: Soak, order: CapacityOrder): Promise<StepMeasurement> {
  void watchHarm(soak, order);
  const warm = startOfMeasuring(soak);
  let endedMs = soak.offerUntilMs;
  await runLoad(soak, async (isWhole) => {
    endedMs = soak.context.world.now();
    if (!isWhole) soak.stopped = BUDGET_ENDED;
    await settle(soak, order.drainMsMax);
  });
  return measurementOfJobs(soak, await warm, endedMs);
}

/** Waits for the jobs that are left: the next step must find the service at rest. */
async function settle(soak: Soak, msMax: number): Promise<void> {
  const { world } = soak.context;
  await pollUntil(world, {
    ask: () => isAtRest(soak),
    isEnough: (is) => is,
    untilMs: world.now() + msMax,
    waitMs: () => POLL_MS,
  });
}

/** Stops the step at the first harm. */
async function watchHarm(soak: Soak, order: CapacityOrder): Promise<void> {
  while (soak.phase === "offering" && soak.stopped === null) {
    await soak.context.world.delay(POLL_MS);
    soak.stopped ??= harmIn(soak, order);
  }
}

function harmIn({ tally }: Soak, order: CapacityOrder): string | null {
  const errors = Object.values(tally.errors).reduce((sum, count) => sum + count, 0);
  const failed = errors + tally.ended - tally.completed;
  if (tally.requests >= REQUESTS_MIN && failed / tally.requests > order.harmShare) {
    return `${failed} of ${tally.requests} requests and jobs failed`;
  }
  const slow = slowness(tally.waiting, tally.livesByThird, order);
  if (slow !== null) return slow;
  const refused = Object.entries(tally.refused).find(([, count]) => count > REQUESTS_MIN);
  return refused === undefined ? null : `submissions were answered ${refused[0]}`;
}

function slowness(
  waiting: number,
  lives: Soak["tally"]["livesByThird"],
  { backlogMax, latencyCeilingMs }: CapacityOrder,
): string | null {
  if (backlogMax !== null && waiting > backlogMax) return `${waiting} jobs were in flight`;
  if (latencyCeilingMs === null) return null;
  const all = mergeHistograms(lives);
  const medianMs = quantileOf(all, 0.5);
  if (all.count < REQUESTS_MIN || medianMs === null || medianMs <= latencyCeilingMs) return null;
  return `half of the jobs took longer than ${Math.round(latencyCeilingMs)} ms`;
}

/** Ours: where webhooks come, a poll of an overdue job now and then. */
const POLLS_PER_SECOND_MIN = 1;
/** Ours: without webhooks each job is asked for about twice. */
const POLLS_A_JOB = 2;
/** Ours: polls of jobs that end together go out together. */
const POLL_SLACK = 5;

/** The step's rate over the keys of the role `loaded`, by what their plans sustain. */
function stepRates(
  world: World,
  plan: RunPlan,
  { ratePerSecond, beyondPlan }: CapacityOrder,
): Rates {
  const keys = plan.roles.loaded.map((name) => planKey(plan, name));
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  return {
    jobsPerSecond: ratePerSecond,
    keys: keys.map((key) => {
      const submitPerSecond = (ratePerSecond * keyRate(key)) / total;
      const room = keyRate(key) - submitPerSecond;
      const wanted = plan.receiver === null ? submitPerSecond * POLLS_A_JOB : POLLS_PER_SECOND_MIN;
      const polls = beyondPlan ? Math.max(room, wanted) : Math.max(room, 0.1);
      const { name, account } = key;
      const pacer = pacerAt(world, polls, POLL_SLACK);
      // A search may go beyond the plan: what it is refused says nothing of it.
      const watch = newKeyWatch(null);
      return { name, account, submitPerSecond, pacer, heldUntilMs: 0, isListed: false, watch };
    }),
  };
}
