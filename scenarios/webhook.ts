/**
 * Are ends of jobs delivered as promised? Submits jobs whose webhooks go to the suite's own
 * receiver, which answers each by a script in its URL, and judges the group `webhook`: content,
 * signature, retries on schedule, and silence where nothing should come. All series run side by
 * side, so the whole takes little more than the longest: the waits, and the silence after them.
 *
 * Runs alone under stock k6 2.x, beside a receiver that the plan names:
 *   plumbline sink                                   # prints its addresses
 *   plumbline plan --target plumbline.yaml --receiver QUERY_URL > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/webhook.ts
 * Keys are read from the environment variables that the plan names.
 */

import type { ReceiverAccess } from "../contract/delivery.ts";
import type { WebhookCase, WebhookRun } from "../contract/judges/webhook/case.ts";
import { judgeWebhooks, measureWebhooks } from "../contract/judges/webhook/index.ts";
import { unobserved } from "../contract/verdict.ts";
import { scenarioPromises } from "./catalogue.ts";
import { readCatalogue, submissionOf } from "./contract/catalogue.ts";
import type { Context } from "./contract/context.ts";
import { contextOf } from "./contract/context.ts";
import { submit } from "./contract/jobs.ts";
import { delayUntil, now } from "./lib/clock.ts";
import type { Heartbeat } from "./lib/heartbeat.ts";
import { startHeartbeat } from "./lib/heartbeat.ts";
import { askedPromises, loadPlan } from "./lib/plan.ts";
import { receiverLagMs } from "./lib/receiver.ts";
import type { Reporter } from "./lib/scaffold.ts";
import { guarded, register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";
import { caseSpecs } from "./webhook/cases.ts";
import type { Watched } from "./webhook/watch.ts";
import { awaitFirst, closeCase, startCase, watchEndsAtMs } from "./webhook/watch.ts";

const NAME = "webhook";
const plan = loadPlan();
const asked = askedPromises(plan, scenarioPromises(NAME));

/** Ours: the quick profile has two minutes on any clock; the others wait for the whole ladder. */
const MAX_SECONDS = { quick: 105, standard: 800, soak: 800 };
const ENDING_SECONDS = 8;
/** Ours: submitted last, without a webhook, while the others are watched. */
const UNASKED_JOBS = 3;

export const options = scenarioOptions(asked, MAX_SECONDS[plan.profile]);

export function setup(): void {
  register(NAME, asked);
}

export default async function (): Promise<void> {
  const report = reporterOf(NAME, asked);
  const deadlineAtMs = now() + (MAX_SECONDS[plan.profile] - ENDING_SECONDS) * 1_000;
  const own = { ...plan, roles: { ...plan.roles, caller: plan.roles.webhook } };
  await guarded(report, asked, () => run(contextOf(own, asked, report, deadlineAtMs), report));
  report.ended();
}

export function handleSummary(data: Parameters<typeof summaryText>[1]): { stdout: string } {
  return { stdout: summaryText(asked, data) };
}

async function run(context: Context, report: Reporter): Promise<void> {
  const missing = whatIsMissing(context);
  const access = plan.receiver;
  if (missing !== null || access === null) {
    for (const id of asked) report.finding(unobserved(id, missing ?? "there is no receiver"));
    return;
  }
  const heartbeat = startHeartbeat();
  const watched = await startCases(context, access);
  report.progress(`${watched.length} jobs submitted`);
  const firsts = watched.map((each) => awaitFirst(context, access, each));
  const unasked = await submitUnasked(context);
  await Promise.all(firsts);
  report.settled();
  report.progress("first deliveries seen; waiting for retries and for silence");
  const endsAtMs = Math.min(
    context.deadlineAtMs,
    Math.max(...watched.map((each) => watchEndsAtMs(context, each))),
  );
  await delayUntil(endsAtMs);
  const cases = await Promise.all(watched.map((each) => closeCase(access, each, endsAtMs)));
  await judge(context, access, report, { cases, unasked, heartbeat });
}

function whatIsMissing(context: Context): string | null {
  if (plan.receiver === null) return plan.receiverMissing ?? "no webhook receiver is configured";
  if (context.caller === null) return "no active key is there to submit with";
  if (plan.workers.success === undefined) return "no worker plays the part `success`";
  return null;
}

/** One after the other in the order of the list: the budget's last jobs go to what matters less. */
async function startCases(context: Context, access: ReceiverAccess): Promise<Watched[]> {
  const catalogue = await readCatalogue(context);
  const started = await Promise.all(
    caseSpecs(context.plan).map((spec) => startCase(context, access, catalogue, spec)),
  );
  return started.filter((each) => each !== null);
}

async function submitUnasked(context: Context): Promise<WebhookRun["unasked"]> {
  const submission = submissionOf(context, await readCatalogue(context), "success");
  if (submission === null) return [];
  const jobs = await Promise.all(
    Array.from({ length: UNASKED_JOBS }, () => submit(context, submission)),
  );
  const ids = jobs.flatMap((job) => (job?.issuedId == null ? [] : [job.issuedId]));
  return ids.map((jobId) => ({ jobId, watchedUntilMs: context.deadlineAtMs }));
}

interface Seen {
  cases: readonly WebhookCase[];
  unasked: WebhookRun["unasked"];
  heartbeat: Heartbeat;
}

async function judge(
  context: Context,
  access: ReceiverAccess,
  report: Reporter,
  { cases, unasked, heartbeat }: Seen,
): Promise<void> {
  heartbeat.stop();
  const seen: WebhookRun = {
    cases,
    unasked,
    timeScale: plan.timeScale,
    tolerances: plan.tolerances,
    lagMs: heartbeat.lagMs() + (await receiverLagMs(access)),
    signatureScheme: access.signature.scheme,
  };
  for (const finding of judgeWebhooks(seen)) report.finding(finding);
  report.measurement("webhook", measureWebhooks(seen));
  if (context.spending.exhausted()) report.note("webhook: the budget had no room for all cases");
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
}
