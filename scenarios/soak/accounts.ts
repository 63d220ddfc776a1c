/** Reads the balances of the soak's accounts before and after, while no job is there. Spec §4.8. */

import type { AccountReading } from "../../contract/balance.ts";
import { movementOf } from "../../contract/balance.ts";
import type { AccountLook, AccountsSeen } from "../../contract/judges/load/accounts.ts";
import {
  accountOf,
  judgeAccounts,
  openJobsOf,
  withoutAccounts,
} from "../../contract/judges/load/accounts.ts";
import { ownMs } from "../../contract/promised-times.ts";
import { readAccount } from "../client/account.ts";
import type { Context } from "../client/context.ts";
import type { LoadedKey } from "../load/rates.ts";
import type { Soak } from "../load/soak.ts";

/** Ours: other traffic of an account shows within this time, if it is there at all. */
const QUIET_MS = 1_000;
/**
 * Ours: charges are booked every minute of the service's at the least, if not at once: one shows in
 * these looks.
 */
const SETTLE_MS = 20_000;
const SETTLE_LOOKS = 4;

/** Looks by account. */
export async function lookAtAccounts(
  context: Context,
  keys: readonly LoadedKey[],
): Promise<ReadonlyMap<string, AccountLook>> {
  const byAccount = new Map(keys.map((key) => [accountOf(key), key]));
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

async function readAll(context: Context, keys: ReadonlyMap<string, LoadedKey>) {
  const looks = await Promise.all(
    [...keys].map(async ([account, { name }]) => [account, await readAccount(context, name)]),
  );
  return new Map(looks as [string, AccountReading][]);
}

/** Looks again while the books do not agree, as a charge may be booked a little later. */
export async function accountsAfter(
  soak: Soak,
  before: ReadonlyMap<string, AccountLook>,
): Promise<AccountsSeen> {
  const { context, keys, tally, plan } = soak;
  if (withoutAccounts(plan, tally) !== null) return {};
  const firsts = await lookAtAccounts(context, keys);
  let seen = accountsSeen(before, firsts, firsts);
  const looksMax = openJobsOf(tally, plan) > 0 ? 1 : SETTLE_LOOKS;
  for (let looks = 1; looks < looksMax && isUnsettled(soak, seen); looks += 1) {
    await context.world.delay(ownMs(soak.plan.times, SETTLE_MS));
    seen = accountsSeen(before, firsts, await lookAtAccounts(context, keys));
  }
  return seen;
}

function isUnsettled({ tally, plan }: Soak, seen: AccountsSeen): boolean {
  const { verdict } = judgeAccounts(seen, tally, plan);
  return verdict === "broken" || verdict === "inconclusive";
}

function accountsSeen(
  befores: ReadonlyMap<string, AccountLook>,
  firsts: ReadonlyMap<string, AccountLook>,
  lasts: ReadonlyMap<string, AccountLook>,
): AccountsSeen {
  const seen = [...befores].flatMap(([account, before]) => {
    const [first, last] = [firsts.get(account), lasts.get(account)];
    return first === undefined || last === undefined ? [] : [[account, { before, first, last }]];
  });
  return Object.fromEntries(seen) as AccountsSeen;
}
