/**
 * Does the service bear a load for as long as asked? Offers a mix of jobs at an arrival rate,
 * follows each to its end, and judges losses, throughput, latency, errors, drift, webhooks,
 * accounts, and the limits of runs under load. A 429 that it meets speaks of rate.within-plan.
 *
 * Runs alone under stock k6 2.x, with a `load:` section in the target file:
 *   plumbline plan --target plumbline.yaml > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/soak.ts
 * Keys are read from the environment variables that the plan names. The rate stays within the
 * plans of the keys that carry the load, and the number of jobs within the budget. Evidence comes
 * out on the console, a line a record. For hours, add --no-thresholds --summary-mode=disabled: k6
 * keeps each value of its own metrics in memory for them.
 */

import type { RunPlan } from "../contract/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import { inconclusive, unobserved } from "../contract/verdict.ts";
import { scenarioBesides, scenarioPromises } from "./catalogue.ts";
import type { Context } from "./contract/context.ts";
import { contextOf } from "./contract/context.ts";
import { delay, now } from "./lib/clock.ts";
import { askedPromises, loadPlan } from "./lib/plan.ts";
import type { Reporter } from "./lib/scaffold.ts";
import { register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";
import { judgeAccounts, lookAtAccounts } from "./soak/accounts.ts";
import { DRAIN_MS_MAX, drain } from "./soak/drain.ts";
import { readFeed } from "./soak/feed.ts";
import { watchLists } from "./soak/job-list.ts";
import { loadSeries } from "./soak/load-series.ts";
import { measurementOf } from "./soak/measurement.ts";
import type { Preparation } from "./soak/preparation.ts";
import { newSoak, prepare } from "./soak/preparation.ts";
import type { Soak } from "./soak/soak.ts";
import { offerLoad, watchHost, watchSoak } from "./soak/submitter.ts";
import { judgeSoak } from "./soak/verdicts.ts";

const NAME = "soak";
const plan = callerIsLoaded(loadPlan());
const asked = askedPromises(plan, scenarioPromises(NAME));
const besides = askedPromises(plan, scenarioBesides(NAME));

/** Ours: reading of workers and accounts before, last looks and judging after. */
const AROUND_MS = 180_000;
const MAX_MS = (plan.load?.durationMs ?? 0) + DRAIN_MS_MAX[plan.profile] + AROUND_MS;

export const options = scenarioOptions(asked, Math.ceil(MAX_MS / 1_000));

export function setup(): void {
  register(NAME, asked);
}

export default async function (): Promise<void> {
  const report = reporterOf(NAME, [...asked, ...besides]);
  const context = contextOf(plan, asked, report, now() + MAX_MS);
  try {
    for (const finding of await judge(context, report)) report.finding(finding);
  } catch (error) {
    for (const id of asked) report.finding(inconclusive(id, `the scenario failed: ${error}`));
  }
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
  report.ended();
}

export function handleSummary(data: Parameters<typeof summaryText>[1]): { stdout: string } {
  return { stdout: summaryText(asked, data) };
}

/** The requests before and after the load go out with a key that carries it, and no other. */
function callerIsLoaded(source: RunPlan): RunPlan {
  const { roles } = source;
  return { ...source, roles: { ...roles, caller: roles.loaded[0] ?? roles.caller } };
}

async function judge(context: Context, report: Reporter): Promise<readonly Finding[]> {
  const preparation = await prepare(context, plan);
  if (typeof preparation === "string") return asked.map((id) => unobserved(id, preparation));
  const watchesAccounts = context.asks("load.accounting");
  const { keys } = preparation.rates;
  const before = watchesAccounts ? await lookAtAccounts(context, keys) : null;
  const soak = await run(context, report, preparation);
  if (soak === null) return [];
  const findings = judgeSoak(soak);
  report.measurement("load", measurementOf(soak));
  report.series({ group: "load", value: loadSeries(soak) });
  if (soak.tally.variant !== null) report.variant(soak.tally.variant);
  return [...findings, await judgeAccounts(soak, before)];
}

async function run(
  context: Context,
  report: Reporter,
  preparation: Preparation,
): Promise<Soak | null> {
  const soak = newSoak(context, plan, preparation);
  if (soak === null) return null;
  const feed = plan.receiver === null ? null : readFeed(soak, plan.receiver);
  void watchSoak(soak);
  if (plan.receiver !== null) void watchHost(soak, plan.receiver);
  void watchLists(soak);
  void tellProgress(soak, report);
  soak.isWhole = await offerLoad(soak);
  if (!soak.isWhole) context.note("the soak ended early, as the budget has no room for more jobs");
  await drain(soak);
  await feed;
  tellNotes(soak, context);
  return soak;
}

/**
 * Ours: often enough to see that it is alive, and some hundred lines at the most. k6 ends with the
 * last timer, so none may be long.
 */
const PROGRESS = { everyMsMin: 5_000, linesMax: 400, lookMs: 200 };

async function tellProgress(soak: Soak, report: Reporter): Promise<void> {
  const everyMs = Math.max(PROGRESS.everyMsMin, soak.load.durationMs / PROGRESS.linesMax);
  for (let dueMs = soak.startMs; soak.phase !== "over"; await delay(PROGRESS.lookMs)) {
    if (now() < dueMs) continue;
    dueMs += everyMs;
    const { offered, ended, waiting } = soak.tally;
    const seconds = Math.max(0, Math.round((now() - soak.startMs) / 1_000));
    const of = Math.round(soak.load.durationMs / 1_000);
    report.progress(`${seconds} of ${of} s: ${offered} jobs, ${ended} ended, ${waiting} waiting`);
  }
}

function tellNotes({ tally }: Soak, context: Context): void {
  if (tally.requests429 > 0) context.note(`429s met in the soak: ${tally.requests429}`);
  for (const [status, count] of tally.refused) {
    context.note(`${count} submissions of the soak were answered ${status}`);
  }
  if (tally.duplicates > 0) {
    const what = "submissions of the soak were answered with an identifier issued before";
    context.note(`${tally.duplicates} ${what}`);
  }
}
