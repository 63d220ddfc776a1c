/**
 * Sends submissions that must be refused, and looks whether they left a trace: in the job list and
 * in the balance, before and after, while no job of the suite's own is in flight. Spec §4.3, §7.
 */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type {
  AccountView,
  Calibration,
  Stretch,
} from "../../contract/judges/rejected-runs-nothing.ts";
import { hasFalls, unknownJobs } from "../../contract/judges/rejected-runs-nothing.ts";
import type { RefusalsSeen } from "../../contract/judges/steps.ts";
import type { WorkerPart } from "../../contract/run-plan.ts";
import { asQuoted } from "../../contract/verdict.ts";
import { countAccepted } from "../client/accepted-by-mistake.ts";
import { jobBetween, readAccount, settled } from "../client/account.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { priceOf, submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { Step } from "./step.ts";
import type { Volley } from "./volley.ts";
import { casesOf, hasAccepted, refusedAmong, sendVolley, wasRefused } from "./volley.ts";

export const refusalsStep: Step = {
  name: "submit: bodies that must be refused",
  promises: [
    "submit.malformed",
    "submit.missing-field",
    "submit.schema-violation",
    "submit.insufficient-credits",
    "submit.rejected-runs-nothing",
  ],
  async run(context, catalogue) {
    const known = await catalogue();
    const watch = context.caller !== null && context.asks("submit.rejected-runs-nothing");
    const before = watch ? await lookAtAccounts(context) : null;
    const volley = await sendVolley(context, known);
    const poor = await submitWithoutCredits(context, known);
    const first = before === null ? null : await stretch(context, before, [volley, poor]);
    const traces = await tracesOf(context, known, first, volley);
    const workers = Object.values(context.plan.workers);
    const isFree = workers.length > 0 && workers.every(freeAmong(known));
    const value = { ...volley, poor, isFree, traces };
    return [{ kind: "contract.refusals", value }];
  },
};

/** Ours: how often each worker is asked for without credits; free plans have room for all. */
const POOR_TIMES = { quick: 1, standard: 2, soak: 2 };

/** Valid bodies on the key of an account without credits; none where the plan has no such key. */
async function submitWithoutCredits(
  context: Context,
  known: Catalogue,
): Promise<readonly StatusCase[]> {
  const { roles, workers, profile } = context.plan;
  const { exhausted: key } = roles;
  if (key === null) return [];
  const isFree = freeAmong(known);
  const priced = Object.values(workers).filter((worker) => !isFree(worker));
  const parts = priced.flatMap((each) => Array.from({ length: POOR_TIMES[profile] }, () => each));
  return await Promise.all(parts.map((worker) => submitPoor(context, worker, key)));
}

async function submitPoor(
  context: Context,
  { id, input }: WorkerPart,
  key: string,
): Promise<StatusCase> {
  const body = JSON.stringify(input);
  const call = { method: "POST", route: "submit", parameter: id, key, body } as const;
  const asked = await context.askAgain(call);
  for (const attempt of asked.attempts) countAccepted(context, attempt);
  return { what: `a job of "${id}" without credits`, ...asked };
}

/** Whether a worker is free of charge: no lack of credits keeps its jobs from running. */
function freeAmong(known: Catalogue): (worker: WorkerPart) => boolean {
  return ({ id }) => {
    const { usd, credits } = priceOf(known, id);
    return usd === 0 || credits === 0;
  };
}

async function lookAtAccounts(context: Context): Promise<AccountView> {
  const { caller, plan } = context;
  const keys = [caller, plan.roles.exhausted].flatMap((key) => key ?? []);
  // Only the caller's balance can be told from other figures, by a job of known cost.
  const [reading, ...lists] = await Promise.all([
    readAccount(context, caller),
    ...keys.map((key) => context.ask({ method: "GET", route: "jobs", key })),
  ]);
  const answered = lists.filter(({ status }) => status === 200).map(listedJobs);
  return {
    listed: answered.length === 0 ? null : answered.flat(),
    amounts: reading.amounts,
    exchanges: [...lists, ...reading.exchanges].map(asQuoted),
  };
}

function listedJobs(exchange: Exchange) {
  const { jobs } = decodeJobList(jsonBody(exchange)) ?? { jobs: [] };
  return jobs.map(({ id, workerId }) => ({ id, workerId }));
}

async function stretch(
  context: Context,
  before: AccountView,
  [volley, poor]: readonly [Volley, readonly StatusCase[]] | readonly [],
): Promise<Stretch> {
  await settled(context);
  const after = await lookAtAccounts(context);
  const cases = [...(volley === undefined ? [] : casesOf(volley)), ...(poor ?? [])];
  const refused = cases.flatMap(({ attempts }) => attempts.filter(wasRefused));
  return { before, after, refused, ownIds: [...context.ownIds] };
}

/**
 * Looks a second time, with quiet before and after, only where the first look was suspicious. What
 * was accepted runs and costs with every right, so it is left out then.
 */
async function tracesOf(
  context: Context,
  catalogue: Catalogue,
  first: Stretch | null,
  sent: Volley,
): Promise<RefusalsSeen["traces"]> {
  const none = { volleys: [], quiet: [], calibration: null };
  if (first === null) return none;
  if (unknownJobs(first).length === 0 && !hasFalls(first)) return { ...none, volleys: [first] };
  const calibration = await calibrate(context, catalogue);
  const isSound = !hasAccepted(sent);
  const quiet: Stretch[] = [];
  const volleys: Stretch[] = isSound ? [first] : [];
  let view = await lookAtAccounts(context);
  while (volleys.length < 2) {
    const silence = await stretch(context, view, []);
    const volley = await sendVolley(context, catalogue, refusedAmong(sent));
    const poor = isSound ? await submitWithoutCredits(context, catalogue) : [];
    const again = await stretch(context, silence.after, [volley, poor]);
    quiet.push(silence);
    volleys.push(again);
    view = again.after;
  }
  quiet.push(await stretch(context, view, []));
  return { volleys, quiet, calibration };
}

/** A job whose cost is known afterwards shows which figure is the balance. */
async function calibrate(context: Context, catalogue: Catalogue): Promise<Calibration | null> {
  const submission = submissionOf(context, catalogue, "success");
  if (submission === null) return null;
  const seen = await jobBetween(context, submission, () => lookAtAccounts(context));
  if (seen === null) return null;
  const { job, before, after, cost } = seen;
  context.jobs.push(job);
  return cost !== null && cost > 0 ? { before, after, cost } : null;
}
