/**
 * Are ends of jobs delivered as promised? Submits jobs whose webhooks go to the suite's own
 * receiver, which answers each by a script in its URL, and judges the group `webhook`: content,
 * signature, retries on schedule, and silence where nothing should come. All series run side by
 * side, so the whole takes little more than the longest: the waits, and the silence after them.
 *
 * Runs alone under stock k6 2.x, beside a receiver that the plan names:
 *   plumbline sink                        # prints its addresses and PLUMBLINE_SINK_SECRET
 *   plumbline plan --target plumbline.yaml --receiver QUERY_URL > plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/webhook.ts
 * Keys and the receiver's secret are read from the environment variables that the plan names.
 */

import type { WebhookRun } from "../contract/judges/webhook/case.ts";
import { judgeWebhooks, measureWebhooks } from "../contract/judges/webhook/index.ts";
import { webhookSeries } from "../contract/judges/webhook/series.ts";
import { unobserved } from "../contract/verdict.ts";
import { scenarioPromises } from "./catalogue.ts";
import { readCatalogue } from "./contract/catalogue.ts";
import type { Context } from "./contract/context.ts";
import { contextOf } from "./contract/context.ts";
import type { FollowedJob } from "./contract/followed-job.ts";
import { now } from "./lib/clock.ts";
import { machineLag } from "./lib/machine-lag.ts";
import { askedPromises, loadPlan } from "./lib/plan.ts";
import { receiverState } from "./lib/receiver.ts";
import type { Reporter } from "./lib/scaffold.ts";
import { guarded, register, reporterOf, scenarioOptions, summaryText } from "./lib/scaffold.ts";
import type { Session } from "./webhook/submitting.ts";
import { submitAll } from "./webhook/submitting.ts";
import type { Watched } from "./webhook/watch.ts";
import { closeCase, watchToEnd } from "./webhook/watch.ts";

const NAME = "webhook";
const plan = loadPlan();
const asked = askedPromises(plan, scenarioPromises(NAME));

/** Ours: the quick profile has two minutes on any clock; the others wait for the whole ladder. */
const MAX_SECONDS = { quick: 105, standard: 800, soak: 800 };
const ENDING_SECONDS = 8;
/** Addresses of this machine. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3. */
const LOOPBACK = /^https?:\/\/(127\.|\[::1\]|localhost[:/]|localhost$)/;

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
  const lag = machineLag(access, plan.timeScale);
  try {
    const catalogue = await readCatalogue(context);
    await watchAll({ context, access, catalogue, lag, waiting: [] }, report);
  } finally {
    lag.stop();
  }
}

async function watchAll(session: Session, report: Reporter): Promise<void> {
  const { context, access, lag } = session;
  const before = await receiverState(access);
  const { watched, unasked } = await submitAll(session);
  report.progress(`${watched.length} jobs submitted`);
  const refusal = refusalOf(watched);
  if (refusal !== null) {
    for (const id of asked) report.finding(unobserved(id, refusal));
    return;
  }
  report.settled();
  report.progress("first deliveries seen; waiting for retries and for silence");
  await Promise.all(watched.map((each) => watchToEnd(context, access, each)));
  lag.stop();
  await lag.hearAll();
  const { timeScale } = plan;
  const cases = await Promise.all(
    watched.map((each) => closeCase(access, each, { lag, timeScale })),
  );
  const after = await receiverState(access);
  judge(session, report, {
    cases,
    unasked: unasked.map(unaskedJob),
    lagMs: lag.typical() + after.loopDelayMsP99,
    pushedOut: {
      deliveries: after.evictedDeliveries - before.evictedDeliveries,
      tokens: after.evictedTokens - before.evictedTokens,
    },
  });
}

function whatIsMissing(context: Context): string | null {
  if (plan.receiver === null) return plan.receiverMissing ?? "no webhook receiver is configured";
  if (context.caller === null) return "no active key is there to submit with";
  if (plan.workers.success === undefined) return "no worker plays the part `success`";
  return null;
}

function unaskedJob(job: FollowedJob): WebhookRun["unasked"][number] {
  return {
    jobId: job.issuedId ?? "",
    endKnownAtMs: job.endSeenAtMs,
    watchedUntilMs: now(),
  };
}

/** Why there is nothing to watch; null when a job was accepted. */
function refusalOf(watched: readonly Watched[]): string | null {
  if (watched.some(({ job }) => job.issuedId !== null)) return null;
  const answer = watched[0]?.job.submission;
  if (answer === undefined) return "the budget has no room for a job";
  const got = answer.error ?? String(answer.status);
  return `no job with a webhook was accepted: the submissions were answered ${got}`;
}

/** What was seen, as far as it is not told by the plan. */
type Seen = Pick<WebhookRun, "cases" | "unasked" | "lagMs" | "pushedOut">;

function judge({ context, access }: Session, report: Reporter, observed: Seen): void {
  const seen: WebhookRun = {
    ...observed,
    timeScale: plan.timeScale,
    tolerances: plan.tolerances,
    signatureScheme: access.signature.scheme,
    receiverReach: plan.receiverReach,
    isLocal: LOOPBACK.test(plan.baseUrl) && LOOPBACK.test(access.publicUrl),
  };
  for (const finding of judgeWebhooks(seen)) report.finding(finding);
  report.measurement("webhook", measureWebhooks(seen));
  report.series({ group: "webhook", value: webhookSeries(seen) });
  if (context.spending.exhausted()) report.note("webhook: the budget had no room for all cases");
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
}
