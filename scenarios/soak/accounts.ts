/** Reads the balances of the soak's accounts before and after, while no job is there. Spec §4.8. */

import type { AccountReading, Movement } from "../../contract/balance.ts";
import { isClock, isTally, movementOf, pathsMoved } from "../../contract/balance.ts";
import type { AccountBooks } from "../../contract/judges/load/accounting.ts";
import { judgeAccounting } from "../../contract/judges/load/accounting.ts";
import { ownMs } from "../../contract/promised-times.ts";
import type { Finding } from "../../contract/verdict.ts";
import { mergeFindings, unobserved } from "../../contract/verdict.ts";
import { readAccount } from "../client/account.ts";
import type { Context } from "../client/context.ts";
import { accountOf } from "../load/closing.ts";
import type { LoadedKey } from "../load/rates.ts";
import type { Soak } from "../load/soak.ts";

/** One account at one time, and what its amounts did just before while nothing was done. */
export interface AccountLook extends AccountReading {
  quiet: Movement;
}

/** Looks by account. */
export type AccountLooks = ReadonlyMap<string, AccountLook>;

/** Ours: other traffic of an account shows within this time, if it is there at all. */
const QUIET_MS = 1_000;
/**
 * Ours: charges are booked every minute of the service's at the least, if not at once: one shows in
 * these looks.
 */
const SETTLE_MS = 20_000;
const SETTLE_LOOKS = 4;

export async function lookAtAccounts(
  context: Context,
  keys: readonly LoadedKey[],
): Promise<AccountLooks> {
  const byAccount = new Map(keys.map((key) => [accountOf({ key }), key]));
  const first = await readAll(context, byAccount);
  await context.world.delay(QUIET_MS);
  const second = await readAll(context, byAccount);
  return new Map(
    [...second].map(([account, reading]) => {
      const quiet = movementOf(first.get(account) ?? reading, reading);
      return [account, { ...reading, quiet }];
    }),
  );
}

function movedIn({ before, after }: Movement): readonly string[] {
  return pathsMoved(before, after);
}

async function readAll(context: Context, keys: ReadonlyMap<string, LoadedKey>) {
  const looks = await Promise.all(
    [...keys].map(async ([account, { name }]) => [account, await readAccount(context, name)]),
  );
  return new Map(looks as [string, AccountReading][]);
}

/** Looks again while the books do not agree, as a charge may be booked a little later. */
export async function judgeAccounts(soak: Soak, before: AccountLooks | null): Promise<Finding> {
  const reason = reasonWithout(soak);
  if (before === null || reason !== null) {
    return unobserved("load.accounting", reason ?? "not asked for");
  }
  const first = await lookAtAccounts(soak.context, soak.keys);
  let finding = judgeOnce(soak, before, first, first);
  const looksMax = openJobsOf(soak) > 0 ? 1 : SETTLE_LOOKS;
  for (let looks = 1; isUnsettled(finding) && looks < looksMax; looks += 1) {
    await soak.context.world.delay(ownMs(soak.plan.times, SETTLE_MS));
    finding = judgeOnce(soak, before, first, await lookAtAccounts(soak.context, soak.keys));
  }
  return finding;
}

function isUnsettled({ verdict }: Finding): boolean {
  return verdict === "broken" || verdict === "inconclusive";
}

/** Why the balance can't be judged at all; null when it can. */
function reasonWithout({ keys, tally }: Pick<Soak, "keys" | "tally">) {
  if (keys.length > 1 && keys.some(({ account }) => account === null)) {
    return "several keys carry the load, and their accounts are not declared";
  }
  return tally.ended === 0 ? "no job ended" : null;
}

/** By the last looks at the accounts; the first ones after the soak tell whether they move yet. */
function judgeOnce(
  soak: Soak,
  before: AccountLooks,
  first: AccountLooks,
  last: AccountLooks,
): Finding {
  const findings = [...before].flatMap(([account, look]) => {
    const books = booksOf(soak, account, look, last.get(account));
    if (books === null) return [];
    const since = pathsMoved(first.get(account)?.amounts ?? {}, books.after);
    const restless = movedIn(look.quiet);
    const settling = since.filter((path) => !restless.includes(path));
    return [judgeAccounting({ ...books, settling }, soak.tally.variant ?? "B")];
  });
  if (findings.length > 0) return mergeFindings(findings);
  return unobserved("load.accounting", "no account of the soak had a job");
}

/** Jobs that may still be charged. */
function openJobsOf({ tally, plan }: Soak): number {
  const missed = tally.webhooks.missing.count + tally.webhooks.unvouched;
  // A webhook would have told of a job whose submission was not answered.
  const unheardOf = plan.receiver === null || missed > 0 ? tally.ambiguous - tally.resolved : 0;
  return tally.accepted - tally.ended + unheardOf;
}

function booksOf(
  soak: Soak,
  account: string,
  before: AccountLook,
  after: AccountLook | undefined,
): Omit<AccountBooks, "settling"> | null {
  const costs = soak.tally.costs.get(account);
  if (costs === undefined || after === undefined) return null;
  const stretches = [before.quiet, movementOf(before, after), after.quiet];
  const moved = [...movedIn(before.quiet), ...movedIn(after.quiet)];
  const quiet = [before.quiet, after.quiet];
  const clocks = moved.filter((path) => isClock(path, stretches) || isTally(path, quiet));
  return {
    before: before.amounts,
    after: after.amounts,
    clocks,
    restless: moved.filter((path) => !clocks.includes(path)),
    cost: costs.sum,
    dearest: costs.dearest,
    jobs: costs.jobs,
    unknownCosts: costs.unknown,
    openJobs: openJobsOf(soak),
    exchanges: [...before.exchanges, ...after.exchanges].filter(({ route }) => route === "credits"),
  };
}
