/**
 * Does a worker's limit hold? Runs many jobs at once that exceed it, and a few that stay just
 * below it, and judges the promises of the group `timeout` but the one about load.
 *
 * Runs alone under stock k6 2.x:
 *   plumbline plan --target plumbline.yaml > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/timeout.ts
 * Keys are read from the environment variables that the plan names. Evidence comes out on the
 * console, a line a record. The exit code is 0 only if something was kept and nothing is broken or
 * inconclusive.
 *
 * Jobs are submitted only to the plan's workers of the parts timeout and success, and within its
 * budget. The timeout part's input must exceed that worker's limit.
 */

import { boundsOf } from "../contract/judges/timeout/bounds.ts";
import { timeoutMeasurement, timeoutSeries } from "../contract/judges/timeout/measurement.ts";
import { roundsNeeded } from "../contract/judges/timeout/rounds.ts";
import { judgeTimeouts } from "../contract/judges/timeout.ts";
import type { RunPlan, WorkerPart } from "../contract/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import { inconclusive, unobserved } from "../contract/verdict.ts";
import { scenarioPromises } from "./catalogue.ts";
import { priceOf, readCatalogue, submissionOf } from "./contract/catalogue.ts";
import type { Context } from "./contract/context.ts";
import { contextOf } from "./contract/context.ts";
import type { Price } from "./contract/spending.ts";
import { variantSeen } from "./contract/verdicts.ts";
import { now } from "./lib/clock.ts";
import { machineLag } from "./lib/machine-lag.ts";
import { askedPromises, loadPlan } from "./lib/plan.ts";
import type { Reporter } from "./lib/scaffold.ts";
import { register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";
import { inputBelow } from "./timeout/inputs.ts";
import { runTrial } from "./timeout/trial.ts";
import type { WaveSetup } from "./timeout/wave.ts";

const NAME = "timeout";
const plan = loadPlan();
const asked = askedPromises(plan, scenarioPromises(NAME));

/** Ours: longest run by profile, and what is left of it for ending in good order. */
const MAX_SECONDS = { quick: 110, standard: 660, soak: 1_800 };
const ENDING_SECONDS = 10;
/** Ours: the longest limit that fits into each profile, in seconds of real time. */
const LIMIT_MAX_SECONDS = { quick: 60, standard: 480, soak: 1_500 };
/** Ours: time for a job in a queue, on the target's clocks and on ours. */
const QUEUE_MS = 60_000;
const QUEUE_MIN_MS = 4_000;

export const options = scenarioOptions(asked, MAX_SECONDS[plan.profile]);

export function setup(): void {
  register(NAME, asked);
}

export default async function timeout(): Promise<void> {
  const report = reporterOf(NAME, asked);
  const deadlineAtMs = now() + (MAX_SECONDS[plan.profile] - ENDING_SECONDS) * 1_000;
  const context = contextOf(asTimeoutKey(plan), asked, report, deadlineAtMs);
  try {
    for (const finding of await judge(context, report)) report.finding(finding);
  } catch (error) {
    const reason = `the scenario failed: ${error instanceof Error ? error.message : error}`;
    for (const id of asked) report.finding(inconclusive(id, reason));
  }
  const variant = variantSeen(context);
  if (variant !== null) report.variant(variant);
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
  report.ended();
}

export function handleSummary(data: Parameters<typeof summaryText>[1]): { stdout: string } {
  return { stdout: summaryText(asked, data) };
}

/** The careful client of this scenario uses the key that the plan gives to timeouts. */
function asTimeoutKey(source: RunPlan): RunPlan {
  return { ...source, roles: { ...source.roles, caller: source.roles.timeout } };
}

async function judge(context: Context, report: Reporter): Promise<readonly Finding[]> {
  const none = (reason: string) => asked.map((id) => unobserved(id, reason));
  const worker = plan.workers.timeout;
  if (context.caller === null) return none("the plan names no active key for timeouts");
  if (worker === undefined) return none("the plan names no worker that plays the timeout part");
  const known = await readCatalogue(context);
  const limitSeconds = known.details.get(worker.id)?.detail?.timeoutSeconds ?? null;
  if (limitSeconds === null) return none(`worker "${worker.id}" tells no limit of its runs`);
  const realSeconds = limitSeconds * plan.timeScale;
  const longest = LIMIT_MAX_SECONDS[plan.profile];
  if (realSeconds > longest) {
    const fits = `${longest} s are the longest that fit into the profile ${plan.profile}`;
    return none(`worker "${worker.id}" has a limit of ${limitSeconds} s; ${fits}`);
  }
  const calibrator = submissionOf(context, known, "success");
  const price = priceOf(known, worker.id);
  return judgeLimit(trialSetup(context, worker, limitSeconds, price), calibrator, report);
}

function trialSetup(
  context: Context,
  worker: WorkerPart,
  limitSeconds: number,
  price: Price,
): WaveSetup {
  const bounds = boundsOf(limitSeconds, plan.tolerances, plan.timeScale);
  const queueMs = Math.max(QUEUE_MIN_MS, QUEUE_MS * plan.timeScale);
  const waitMs = 2 * bounds.limitMs + bounds.lateMs + queueMs;
  const beyond = { worker, part: "timeout", price, waitMs } as const;
  const input = inputBelow(worker, limitSeconds);
  if (input === null) {
    context.note("the timeout part's input has no one number above the limit to set below it");
  }
  const below = input === null ? null : { worker: input, part: null, price, waitMs };
  return { context, bounds, lag: machineLag(plan.receiver, plan.timeScale), beyond, below };
}

async function judgeLimit(
  trial: WaveSetup,
  calibrator: ReturnType<typeof submissionOf>,
  report: Reporter,
): Promise<readonly Finding[]> {
  const { bounds, lag, beyond, context } = trial;
  const watched = asked.includes("timeout.free");
  report.progress(`timeouts: jobs beyond a limit of ${bounds.limitSeconds} s`);
  const { last, ...seen } = await runTrial(trial, { watched, calibrator });
  lag.stop();
  report.measurement("timeout", timeoutMeasurement(beyond.worker.id, bounds, last, lag.typical()));
  report.series({ group: "timeout", value: timeoutSeries(beyond.worker.id, bounds, last) });
  const needed = roundsNeeded(plan.timeScale);
  return judgeTimeouts({ ...seen, bounds, roundsNeeded: needed, without: withoutReason(context) });
}

function withoutReason(context: Context): string {
  if (context.spending.exhausted()) return "the budget has no room for a job";
  const refused = context.jobs.find(({ issuedId }) => issuedId === null);
  return `no job could be submitted; the answer was ${refused?.submission.status ?? "none"}`;
}
