/**
 * What is held for no job, once all have ended: a balance that is shown as a whole falls by the
 * costs, and what is left to spend of it by more. Spec §1.4, §2.10.
 */

import { fallsBetween, SUM_ERROR } from "../../../balance/changes.ts";
import type { Sample } from "../../../judging/claim.ts";
import { anythingIf } from "../../../judging/claim.ts";
import { rounded } from "../../../numbers/figures.ts";
import type { Account, AccountLedger, Balance } from "./ledger.ts";
import { stepOf } from "./steps.ts";
import { HELD_NAME } from "./wallets.ts";

/** Ours: a whole, what is held of it, and the rest are rounded each by itself. */
const ROUNDED_AMOUNTS = 3;

/**
 * Faults: 1 where more is held than before the load. `whole`: what fell by the costs. Null where
 * nothing is told to be held of it, or no more than before.
 */
export function stillHeld(account: Account, whole: Balance): Sample | null {
  const { before, after, name, dearest, restless, settling, exchanges } = account;
  const rounding = Math.max(SUM_ERROR, ROUNDED_AMOUNTS * stepOf(account, whole));
  const rises = Object.entries(fallsBetween(after, before));
  for (const [held, rise] of rises) {
    if (rise <= rounding || !HELD_NAME.test(held)) continue;
    const rest = Object.keys(before).find((path) => {
      return isRest(account, { whole: whole.path, held, rest: path }, rounding);
    });
    if (rest === undefined) continue;
    const isMoving = [held, rest].some((path) => [...restless, ...settling].includes(path));
    const isOfOne = rise <= dearest * Math.abs(whole.perCost) + rounding;
    const why = isMoving
      ? "what is held still moved when all jobs had ended"
      : "a job of others on the account may run yet";
    const what =
      `${name}: all jobs have ended, and ${held} is ${rounded(rise, 6)} more than before ` +
      `them, by which ${rest} fell beside their costs`;
    const above = anythingIf(isMoving || isOfOne, "others' use", why);
    return { low: 1, high: 1, what, above, exchanges };
  }
  return null;
}

/** Whether the rest is what is not held of the whole, in each reading that tells all three. */
function isRest(
  { before, after, meanwhile }: AccountLedger,
  { whole, held, rest }: Readonly<Record<"whole" | "held" | "rest", string>>,
  rounding: number,
): boolean {
  if (rest === whole || HELD_NAME.test(rest)) return false;
  const amid = meanwhile
    .map(({ amounts }) => amounts)
    .filter((amounts) => [whole, held, rest].every((path) => path in amounts));
  return [before, ...amid, after].every((amounts) => {
    const [all, kept, left] = [whole, held, rest].map((path) => amounts[path] ?? Number.NaN);
    return Math.abs((all ?? 0) - (kept ?? 0) - (left ?? 0)) <= rounding;
  });
}
