/**
 * Does the service keep its contract? Exercises each endpoint as a careful client would and judges
 * the promises on keys, account, workers, submission, jobs, their list and cancelling.
 *
 * Runs alone under stock k6 2.x:
 *   plumbline plan --target plumbline.yaml > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/contract.ts
 * Keys are read from the environment variables that the plan names. For a first try without a plan
 *   PLUMBLINE_BASE_URL=https://api.example.com PLUMBLINE_KEY=... k6 run scenarios/contract.ts
 * judges what needs no worker. Evidence comes out on the console, a line a record. The exit code is
 * 0 only if something was kept and nothing is broken or inconclusive.
 *
 * Jobs are submitted only to the plan's workers and within its budget; cancelled are only jobs of
 * its own; published is only the worker that the plan names for it.
 */

import { transitionSeries } from "../contract/judges/job/transition-series.ts";
import { scenarioPromises } from "./catalogue.ts";
import { accountStep } from "./contract/account.ts";
import { authStep } from "./contract/auth.ts";
import { cancelStep } from "./contract/cancel.ts";
import type { Catalogue } from "./contract/catalogue.ts";
import { readCatalogue } from "./contract/catalogue.ts";
import type { Context } from "./contract/context.ts";
import { contextOf } from "./contract/context.ts";
import { controlParametersStep } from "./contract/control-parameters.ts";
import { listLimitStep, listOwnStep } from "./contract/job-list.ts";
import { jobLivesStep } from "./contract/job-lives.ts";
import { refusalsStep } from "./contract/refusals.ts";
import type { Step } from "./contract/step.ts";
import { runStep } from "./contract/step.ts";
import { judgementStep, unknownJobStep, variantSeen } from "./contract/verdicts.ts";
import { publishStep, workersStep } from "./contract/workers.ts";
import { now } from "./lib/clock.ts";
import { askedPromises, loadPlan } from "./lib/plan.ts";
import type { Reporter } from "./lib/scaffold.ts";
import { register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";

const NAME = "contract";
const plan = loadPlan();
const asked = askedPromises(plan, scenarioPromises(NAME));

/** Ours: longest run by profile, and what is left of it for ending in good order. */
const MAX_SECONDS = { quick: 110, standard: 600, soak: 600 };
const ENDING_SECONDS = 10;

export const options = scenarioOptions(asked, MAX_SECONDS[plan.profile]);

export function setup(): void {
  register(NAME, asked);
}

/**
 * Steps of a phase run side by side, phases one after the other: refusals need an account on which
 * nothing else goes on, and a cancel must not wait behind other requests of its key.
 */
const PHASES: readonly (readonly Step[])[] = [
  [accountStep, workersStep],
  [refusalsStep],
  [authStep, publishStep],
  [controlParametersStep],
  [jobLivesStep],
  [unknownJobStep, listOwnStep],
  [cancelStep],
  [listLimitStep],
  [judgementStep],
];

export default async function (): Promise<void> {
  const report = reporterOf(NAME, asked);
  const deadlineAtMs = now() + (MAX_SECONDS[plan.profile] - ENDING_SECONDS) * 1_000;
  const context = contextOf(plan, asked, report, deadlineAtMs);
  let reading: Promise<Catalogue> | null = null;
  const catalogue = () => {
    reading ??= readCatalogue(context);
    return reading;
  };
  for (const phase of PHASES) {
    const findings = await Promise.all(phase.map((step) => runStep(step, context, catalogue)));
    for (const finding of findings.flat()) report.finding(finding);
  }
  end(context, report);
}

function end(context: Context, report: Reporter): void {
  const variant = variantSeen(context);
  if (variant !== null) report.variant(variant);
  for (const value of transitionSeries(context.jobs))
    report.series({ group: "transitions", value });
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
  report.ended();
}

export function handleSummary(data: Parameters<typeof summaryText>[1]): { stdout: string } {
  return { stdout: summaryText(asked, data) };
}
