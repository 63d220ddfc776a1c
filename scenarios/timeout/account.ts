/** The account around jobs that time out; a job of known cost shows what its balance is. */

import { movementOf } from "../../contract/balance/changes.ts";
import type { AccountReading } from "../../contract/balance/read.ts";
import type { BalanceInput, BalanceSpan } from "../../contract/balance/spans.ts";
import { jobBetween, readAccount, settled } from "../client/account.ts";
import type { Context } from "../client/context.ts";
import type { Submission } from "../client/submit.ts";

/** Waits until charges are booked, then reads. */
export async function settledReading(context: Context): Promise<AccountReading> {
  await settled(context);
  return await readAccount(context);
}

/** What a job of known cost took, and whether that had not come when it was looked for first. */
export interface Calibrated {
  calibration: BalanceInput["calibration"];
  isLate: boolean;
}

/** Runs one job; null where it told no cost, or could not be run. */
export async function calibrate(
  context: Context,
  submission: Submission | null,
): Promise<Calibrated | null> {
  if (submission === null) return null;
  const seen = await jobBetween(context, submission, () => readAccount(context));
  if (seen === null || seen.cost === null) return null;
  const { job, before, after, cost, isLate } = seen;
  if (Object.keys(before.amounts).length === 0) return null;
  const unit = job.end?.variant === "A" ? "credits" : "usd";
  return { calibration: { before: before.amounts, after: after.amounts, cost, unit }, isLate };
}

export function spanOf(
  before: AccountReading,
  after: AccountReading,
  jobs: { timeouts: number; knownCost: number },
): BalanceSpan {
  const exchanges = [...before.exchanges, ...after.exchanges];
  return { ...movementOf(before, after), ...jobs, exchanges };
}
