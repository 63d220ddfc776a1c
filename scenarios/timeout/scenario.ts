/** Runs many jobs at once that exceed a worker's limit, and a few that stay just below it. */

import { boundsOf } from "../../contract/judges/timeout/bounds.ts";
import type { Price } from "../../contract/limits/budget.ts";
import type { WorkerPart } from "../../contract/run/run-plan.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Json } from "../../contract/verdict.ts";
import { scenarioPromises } from "../catalogue.ts";
import { priceOf, readCatalogue, tellingSubmission } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { Submission } from "../client/submit.ts";
import { machineLag } from "../host/lag.ts";
import { NothingToObserve } from "../world/nothing.ts";
import type { Reporter } from "../world/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import { runTrial } from "./trial.ts";
import type { WaveSetup } from "./wave.ts";

/** Ours: longest run by profile, and what is left of it for ending in good order. */
const MAX_SECONDS = { quick: 110, standard: 660, soak: 1_800 };
const ENDING_SECONDS = 10;
/** Ours: the longest limit that fits into each profile, in seconds of real time. */
const LIMIT_MAX_SECONDS = { quick: 60, standard: 480, soak: 1_500 };
/** Ours: time for a job in a queue, in stated time. */
const QUEUE_MS = 60_000;

export const timeoutScenario: Scenario = {
  name: "timeout",
  promises: scenarioPromises("timeout"),
  secondsMax: ({ profile }) => MAX_SECONDS[profile],
  endingSeconds: ENDING_SECONDS,
  callerOf: ({ roles }) => roles.timeout,
  opensAccount: true,
  async run(context, report) {
    await tryLimit(await prepare(context), report);
  },
};

interface Prepared {
  setup: WaveSetup;
  calibrator: Submission | null;
}

/** All that the trial needs. Throws NothingToObserve where there can be none. */
async function prepare(context: Context): Promise<Prepared> {
  const { plan } = context;
  const worker = plan.workers.timeout;
  if (context.caller === null) {
    throw new NothingToObserve("the plan names no active key for timeouts");
  }
  if (worker === undefined) {
    throw new NothingToObserve("the plan names no worker that plays the timeout part");
  }
  const known = await readCatalogue(context);
  const limitSeconds = known.details.get(worker.id)?.detail?.timeoutSeconds ?? null;
  if (limitSeconds === null) {
    throw new NothingToObserve(`worker "${worker.id}" states no run limit`);
  }
  const longest = LIMIT_MAX_SECONDS[plan.profile];
  if (boundsOf(limitSeconds, plan.times).limitMs > longest * 1_000) {
    const fits = `${longest} s are the longest that fit into the profile ${plan.profile}`;
    throw new NothingToObserve(`worker "${worker.id}" has a limit of ${limitSeconds} s; ${fits}`);
  }
  const calibrator = tellingSubmission(context, known);
  const price = priceOf(known, worker.id);
  return { setup: trialSetup(context, worker, limitSeconds, price), calibrator };
}

function trialSetup(
  context: Context,
  worker: WorkerPart,
  limitSeconds: number,
  price: Price,
): WaveSetup {
  const { plan, world } = context;
  const bounds = boundsOf(limitSeconds, plan.times);
  const waitMs = 2 * bounds.limitMs + bounds.lateMs + ownMs(plan.times, QUEUE_MS);
  const beyond = { worker, part: "timeout", price, waitMs } as const;
  const input = inputBelow(worker, limitSeconds);
  if (input === null) {
    context.note("the timeout part's input has no one number above the limit to set below it");
  }
  const below = input === null ? null : { worker: input, part: null, price, waitMs };
  const lag = machineLag(world, plan.times, plan.receiver);
  return { context, bounds, lag, beyond, below };
}

async function tryLimit({ setup, calibrator }: Prepared, report: Reporter): Promise<void> {
  const { bounds, lag, beyond, context } = setup;
  const { limitSeconds } = bounds;
  const watched = context.asks("timeout.free");
  report.progress(`timeouts: jobs beyond a limit of ${limitSeconds} s`);
  const { balance, ...seen } = await runTrial(setup, { watched, calibrator });
  lag.stop();
  report.observed("timeout.trial", {
    worker: beyond.worker.id,
    limitSeconds,
    ...seen,
    balances: balance === null ? [] : [balance],
    lagMs: lag.typical(),
    without: withoutReason(context),
  });
}

function withoutReason(context: Context): string {
  if (context.spending.exhausted()) return context.spending.whyNot("the budget allows no job");
  const refused = context.jobs.find(({ issuedId }) => issuedId === null);
  return `no job could be submitted; the answer was ${refused?.submission.status ?? "none"}`;
}

/**
 * Ours: far enough below the limit for start-up, near enough to be cut off by a limit too short.
 */
const BELOW_SHARE = 0.9;
/** Ours: how names of fields say that they count milliseconds. */
const MILLISECONDS_NAME = /ms$|milli/i;

/**
 * The worker with the one number of its input that exceeds the limit set to 90 % of it; null
 * where there is none, or several and so no telling which one is the duration.
 */
function inputBelow(worker: WorkerPart, limitSeconds: number): WorkerPart | null {
  const fields = Object.entries(worker.input).flatMap(([name, value]) => {
    const limit = MILLISECONDS_NAME.test(name) ? limitSeconds * 1_000 : limitSeconds;
    return typeof value === "number" && value > limit ? [{ name, limit }] : [];
  });
  const [field, ...others] = fields;
  if (field === undefined || others.length > 0) return null;
  const input: Record<string, Json> = { ...worker.input };
  input[field.name] = below(field.limit);
  return { ...worker, input };
}

/** A whole number, as the field may take no other, where the limit leaves room for one. */
function below(limit: number): number {
  const value = limit * BELOW_SHARE;
  return value >= 1 ? Math.floor(value) : value;
}
