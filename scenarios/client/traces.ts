/**
 * What refused requests leave behind: in the job list and in the balances, before and after them,
 * while no job of the suite's own is in flight. Spec §4.3, §7.
 */

import type { Amounts } from "../../contract/balance/read.ts";
import type { AccountView, Calibration, Span } from "../../contract/balance/refused.ts";
import { POOR_PATHS } from "../../contract/balance/refused.ts";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { RejectedInput } from "../../contract/judges/rejected-runs-nothing.ts";
import {
  hasMoved,
  isUneven,
  UNEVEN_BURSTS,
  unknownJobs,
} from "../../contract/judges/rejected-runs-nothing.ts";
import { leastOf, mostOf } from "../../contract/numbers/extremes.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { asQuoted } from "../../contract/verdict.ts";
import { jobBetween, readAccount, settled } from "./account.ts";
import type { Catalogue } from "./catalogue.ts";
import { tellingSubmission } from "./catalogue.ts";
import type { Context } from "./context.ts";

export type Traces = Pick<RejectedInput, "volleys" | "quiet" | "calibration">;

export const NO_TRACES: Traces = { volleys: [], quiet: [], calibration: null };

/** What is read: the balances, and the job lists unless they move by themselves. */
export type AccountParts = "balances" | "balances and lists";

/** Only the caller's balance can be told from other figures, by a job of known cost. */
export async function readAccounts(context: Context, at: AccountParts): Promise<AccountView> {
  const { caller, plan } = context;
  const { exhausted } = plan.roles;
  const keys = [caller, exhausted].flatMap((key) => key ?? []);
  const [reading, poor, ...lists] = await Promise.all([
    readAccount(context),
    exhausted === null ? null : readAccount(context, exhausted),
    ...(at === "balances" ? [] : keys).map((key) =>
      context.ask({ method: "GET", route: "jobs", key }),
    ),
  ]);
  const answered = lists.filter(({ status }) => status === 200).map(listedJobs);
  const read = [...reading.exchanges, ...(poor?.exchanges ?? [])];
  return {
    listed: answered.length === 0 ? null : answered.flat(),
    amounts: { ...reading.amounts, ...ofPoor(poor?.amounts ?? {}) },
    exchanges: [...lists, ...read].map(asQuoted),
  };
}

function ofPoor(amounts: Amounts): Amounts {
  const entries = Object.entries(amounts);
  return Object.fromEntries(entries.map(([path, amount]) => [`${POOR_PATHS}${path}`, amount]));
}

function listedJobs(exchange: Exchange) {
  const { jobs } = decodeJobList(jsonBody(exchange)) ?? { jobs: [] };
  return jobs.map(({ id, workerId }) => ({ id, workerId }));
}

/**
 * Ours: for so long an account's view may be cached; what was read before is over by then. The
 * profile quick has no time for more than what most caches keep.
 */
const VIEW_MS: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 3_000,
  standard: 6_000,
  soak: 6_000,
};

/** From an earlier reading to one once all is booked. */
export async function spanSince(
  context: Context,
  before: AccountView,
  refused: readonly Exchange[],
  at: AccountParts,
): Promise<Span> {
  await settled(context);
  const readAtMs = mostOf(before.exchanges.map(({ receivedAtMs }) => receivedAtMs));
  await context.world.delay(readAtMs + VIEW_MS[context.plan.profile] - context.world.now());
  return { before, after: await readAccounts(context, at), refused, ownIds: [...context.ownIds] };
}

interface First {
  span: Span;
  /** Whether nothing of it was accepted, which runs and costs with every right. */
  isSound: boolean;
  at: AccountParts;
  catalogue: Catalogue;
  /** Sends again what was refused; the refusals. */
  sendAgain: () => Promise<readonly Exchange[]>;
}

/** Ours: of others' traffic each burst holds the same, and no quiet any, in 1 of 250 at worst. */
const BURSTS = 3;
/** Ours: a gate has no time for more; a burst takes longer only where keys allow little. */
const QUIET_MS_MAX = 20_000;

/** As long as a burst takes: others' traffic has to show as easily in the one as in the other. */
function burstMs({ refused }: Span): number {
  if (refused.length === 0) return 0;
  const begunMs = leastOf(refused.map(({ sentAtMs }) => sentAtMs));
  return Math.min(mostOf(refused.map(({ receivedAtMs }) => receivedAtMs)) - begunMs, QUIET_MS_MAX);
}

/**
 * Reads more often, with quiet before and after, if the first reading was suspicious. What was
 * accepted by mistake costs with every right: there one more burst, without it, may show nothing.
 */
export async function tracesOf(context: Context, first: First): Promise<Traces> {
  const { span, isSound, at, sendAgain } = first;
  if (!isSuspicious(span)) return { ...NO_TRACES, volleys: [span] };
  // Jobs of another shard may cost meanwhile, and a job of this one would be none that it knows.
  if (context.world.shard.count > 1) return NO_TRACES;
  if (isSound) return await tracesAgain(context, first);
  const againMs = Math.max(burstMs(span), VIEW_MS[context.plan.profile]);
  if (context.world.now() + againMs > context.deadlineAtMs) return NO_TRACES;
  const again = await spanSince(context, await readAccounts(context, at), await sendAgain(), at);
  if (!isSuspicious(again)) return { ...NO_TRACES, volleys: [again] };
  return await tracesAgain(context, { ...first, span: again });
}

function isSuspicious(span: Span): boolean {
  return unknownJobs(span).length > 0 || hasMoved(span);
}

/** Where time is over before all is read it is the first burst alone, which is then in doubt. */
async function tracesAgain(context: Context, first: First): Promise<Traces> {
  const { span, at, catalogue, sendAgain } = first;
  const calibration = await calibrate(context, catalogue, at);
  const quiet: Span[] = [];
  const bursts: Span[] = [span];
  let view = await readAccounts(context, at);
  const quietSince = async (before: AccountView, quietMs: number) => {
    await context.world.delay(quietMs);
    return await spanSince(context, before, [], at);
  };
  let turnMs = 2 * Math.max(burstMs(span), VIEW_MS[context.plan.profile]);
  const isLacking = () =>
    bursts.length < BURSTS || (bursts.length < UNEVEN_BURSTS && isUneven(bursts, calibration));
  const isTimeFor = (ms: number) => context.world.now() + ms <= context.deadlineAtMs;
  while (isLacking() && isTimeFor(turnMs)) {
    const begunMs = context.world.now();
    const silence = await quietSince(view, burstMs(span));
    const again = await spanSince(context, silence.after, await sendAgain(), at);
    quiet.push(silence);
    bursts.push(again);
    view = again.after;
    turnMs = context.world.now() - begunMs;
  }
  // What others do as regularly as bursts and quiet take turns falls into a whole turn of quiet.
  const lastMs = Math.min(turnMs, 2 * QUIET_MS_MAX);
  if (bursts.length < BURSTS || !isTimeFor(lastMs)) {
    return { volleys: bursts.slice(0, 1), quiet, calibration };
  }
  quiet.push(await quietSince(view, lastMs));
  return { volleys: bursts, quiet, calibration };
}

/** A job whose cost is known afterwards shows which figure is the balance. */
async function calibrate(
  context: Context,
  catalogue: Catalogue,
  at: AccountParts,
): Promise<Calibration | null> {
  const submission = tellingSubmission(context, catalogue);
  if (submission === null) return null;
  const seen = await jobBetween(context, submission, () => readAccounts(context, at), {
    until: "still",
    restMs: 0,
  });
  if (seen === null) return null;
  const { job, before, after, cost } = seen;
  context.jobs.push(job);
  return cost !== null && cost > 0 ? { before, after, cost } : null;
}
