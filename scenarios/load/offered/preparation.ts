/** Prepares a soak: keys, rate, mix, and what the workers tell of themselves. */

import { STEP_MS_MIN } from "../../../contract/judges/load/series.ts";
import { rounded } from "../../../contract/numbers/figures.ts";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import type { Catalogue } from "../../client/catalogue.ts";
import { priceOf, readCatalogue } from "../../client/catalogue.ts";
import type { Context } from "../../client/context.ts";
import { Follower } from "../../client/followed/follower.ts";
import { newToken } from "../../client/token.ts";
import { NothingToObserve } from "../../world/nothing.ts";
import type { World } from "../../world/world.ts";
import { newBystander } from "../bystander.ts";
import { loadPolicy } from "../followed/follow.ts";
import { lateCosts } from "../followed/late-costs.ts";
import type { Ledger } from "../followed/ledger.ts";
import { newLedger } from "../followed/ledger.ts";
import { learntQuantiles } from "../learnt.ts";
import type { Manners, Soak } from "../soak.ts";
import { CAREFUL } from "../soak.ts";
import { newTally } from "../tally.ts";
import { noRetries } from "../webhooks/failed-deliveries.ts";
import type { Mix } from "./mix.ts";
import { mixOf } from "./mix.ts";
import type { Rates } from "./rates.ts";
import { ratesOf } from "./rates.ts";

export interface Preparation {
  rates: Rates;
  mix: Mix;
  catalogue: Catalogue;
}

/**
 * What the soak will be, with notes on what differs from what was asked for. Throws
 * NothingToObserve where it can be none.
 */
export async function prepare(context: Context, plan: RunPlan): Promise<Preparation> {
  if (plan.load === null) throw new NothingToObserve("the target file has no load section");
  const mix = mixOf(plan);
  const rates = ratesOf(context.world, plan, cancelShare(mix));
  if (rates === null) throw new NothingToObserve("no active key is there to carry the load");
  if (mix.parts.length === 0) {
    throw new NothingToObserve("the plan names no worker of those in the mix");
  }
  if (context.spending.left() < 1) throw new NothingToObserve("the budget allows no job");
  for (const part of mix.missing) context.note(`the soak goes without the part "${part}"`);
  const lowered = rates.jobsPerSecond < plan.load.jobsPerSecond;
  if (lowered) {
    const { count } = context.world.shard;
    const offered = rounded(rates.jobsPerSecond * count, 1);
    context.note(
      `the soak offers ${offered} jobs/s, as the plans of its keys do not allow ` +
        `${plan.load.jobsPerSecond * count}; expected more keys (load.keys) or load.beyondPlan`,
    );
  }
  return { rates, mix, catalogue: await readCatalogue(context) };
}

function cancelShare({ parts }: Mix): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return parts.filter(({ part }) => part === "cancel").reduce((s, p) => s + p.weight, 0) / total;
}

/** The soak, about to begin. Throws NothingToObserve without a load in the plan. */
export function newSoak(
  context: Context,
  plan: RunPlan,
  { rates, mix, catalogue }: Preparation,
  manners: Manners = CAREFUL,
  ledger: Ledger = newLedger(),
): Soak {
  const { world } = context;
  if (plan.load === null) throw new NothingToObserve("the plan has no load");
  const startMs = startOf(world);
  const soak: Soak = {
    plan,
    load: plan.load,
    objectives: plan.load.objectives,
    context,
    keys: rates.keys,
    mix,
    jobsPerSecond: rates.jobsPerSecond,
    manners,
    tokenPrefix: `${plan.receiver?.tokenPrefix ?? ""}${newToken(world)}-`,
    details: new Map([...catalogue.details].map(([id, { detail }]) => [id, detail])),
    prices: new Map(mix.parts.map(({ worker: { id } }) => [id, priceOf(catalogue, id)])),
    ledger,
    tally: newTally(startMs),
    bystander: newBystander(),
    retries: noRetries(),
    follower: new Follower(
      world,
      loadPolicy(() => soak),
    ),
    learnt: learntQuantiles(),
    costs: lateCosts(),
    startMs,
    offerUntilMs: startMs + plan.load.durationMs,
    phase: "offering",
    stopped: null,
    isWhole: true,
    whyEnded: null,
    isBehind: false,
    inFlight: 0,
    idleClosedAtMs: Number.NEGATIVE_INFINITY,
    slack: null,
    feed: { failures: 0, evicted: 0 },
  };
  return soak;
}

/** Ours: so that the first submission is not late already; then at the start of a step. */
const START_MS = 100;
/**
 * Ours: reading the workers and the accounts takes half as long. Processes that begin
 * within a second of each other agree on the time most often.
 */
const SHARDS = { startMs: 4_000, gridMs: 2_000 };

/** Shards agree on a time without a word: it follows from when the run began. */
function startOf(world: World): number {
  const upTo = (ms: number, stepMs: number) => Math.ceil(ms / stepMs) * stepMs;
  if (world.shard.count === 1) return upTo(world.now() + START_MS, STEP_MS_MIN);
  return upTo(world.beganAtMs() + SHARDS.startMs, SHARDS.gridMs);
}
