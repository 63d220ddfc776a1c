/** Reads what may be the account's balance, and learns from a job of known cost what it is. */

import type { Amounts } from "../../contract/balance.ts";
import { findAmounts } from "../../contract/balance.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { BalanceInput, BalanceStretch } from "../../contract/judges/timeout/balance.ts";
import type { Context } from "../client/context.ts";
import type { FollowedJob } from "../client/followed-job.ts";
import type { Submission } from "../client/jobs.ts";
import { followToEnd, submit } from "../client/jobs.ts";

export interface AccountLook {
  amounts: Amounts;
  exchanges: readonly Exchange[];
}

/** Ours: time for a charge to be booked. */
const SETTLE_MS = 2_000;

/** Waits until charges are booked, then reads. */
export async function settledLook(context: Context): Promise<AccountLook> {
  await context.world.delay(SETTLE_MS);
  return lookAtAccount(context);
}

export async function lookAtAccount(context: Context): Promise<AccountLook> {
  const key = context.caller;
  const exchanges = await Promise.all([
    context.ask({ method: "GET", route: "credits", key }),
    context.ask({ method: "GET", route: "me", key }),
  ]);
  const found = exchanges
    .filter(({ status }) => status === 200)
    .map((exchange) => findAmounts(jsonBody(exchange), exchange.route));
  return { amounts: Object.assign({}, ...found) as Amounts, exchanges };
}

/** Runs one job of the success part; null where it told no cost, or could not be run. */
export async function calibrate(
  context: Context,
  submission: Submission | null,
): Promise<BalanceInput["calibration"]> {
  if (submission === null) return null;
  const before = await lookAtAccount(context);
  if (Object.keys(before.amounts).length === 0) return null;
  const job = await submit(context, submission);
  if (job === null) return null;
  await followToEnd(context, job);
  const after = await settledLook(context);
  const cost = costOf(job);
  return cost === null ? null : { before: before.amounts, after: after.amounts, cost };
}

export function stretchOf(
  before: AccountLook,
  after: AccountLook,
  jobs: { timeouts: number; knownCost: number },
): BalanceStretch {
  const exchanges = [...before.exchanges, ...after.exchanges];
  const seconds = (readAtMs(after) - readAtMs(before)) / 1_000;
  return { before: before.amounts, after: after.amounts, seconds, ...jobs, exchanges };
}

function readAtMs({ exchanges }: AccountLook): number {
  return Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs));
}

/** What an ended job says that it cost, in its variant's unit. */
export function costOf({ end }: FollowedJob): number | null {
  return end === null ? null : (end.cost.credits ?? end.cost.totalUsd);
}
