/**
 * Reads the balances of the soak's accounts while the load goes on: who pays in shows then, and
 * whether they can be read at all.
 */

import type { Look } from "../../contract/balance/bookings.ts";
import { readingOf } from "../../contract/balance/read.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { pacePerSecond } from "../client/pacer.ts";
import { planKey } from "../client/plan.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import { askBeside } from "../load/offered/requests.ts";
import type { Soak } from "../load/soak.ts";
import type { Answers } from "./account-reads.ts";
import { casesOf, withAnswers } from "./account-reads.ts";
import { keyByAccount } from "./key-by-account.ts";

/** The amounts of each account, one look after the other. */
export type AccountWatch = ReadonlyMap<string, readonly Look[]>;

export interface AccountsWatched {
  amounts: AccountWatch;
  /** What the endpoints were answered while the load was on. */
  reads: readonly StatusCase[];
}

/** Ours: readings that are kept, and how often they are at the most. */
const READINGS_MAX = 100;
const EVERY_MS_MIN = 2_000;
/** Ours: a reading takes two requests, and no more of a key's pace than this share. */
const PACE_SHARE = 0.02;
const ROUTES = ["credits", "me"] as const;
/** Ours: until the first jobs have ended, the balance falls more slowly. */
const SETTLED_SHARE = 1 / 10;
/** Ours: k6 ends with the last timer, so none may be long. */
const STEP_MS = 200;

/** Until the last job has ended. What answers tell is one shard's to judge. */
export async function watchAccounts(soak: Soak): Promise<AccountsWatched> {
  const { world } = soak.context;
  const amounts = new Map<string, Look[]>();
  const answers = new Map<string, Answers>();
  const keys = keyByAccount(soak.keys);
  const steadyMs = soak.startMs + SETTLED_SHARE * soak.load.durationMs;
  const watch = async (account: string, key: LoadedKey): Promise<void> => {
    const everyMs = intervalMs(soak, key);
    let dueMs = soak.startMs;
    for (; soak.phase !== "over"; await world.delay(STEP_MS)) {
      if (world.now() < dueMs) continue;
      dueMs += everyMs;
      const isBegun = world.now() >= steadyMs;
      const exchanges = await readAccount(soak, key);
      const isSteady = isBegun && soak.phase === "offering";
      const { amounts: read, readAtMs: atMs } = readingOf(exchanges);
      amounts.set(account, [...(amounts.get(account) ?? []), { amounts: read, isSteady, atMs }]);
      if (isSteady && world.shard.index === 0)
        answers.set(key.name, withAnswers(answers.get(key.name) ?? [], exchanges));
    }
  };
  await Promise.all([...keys].map(([account, key]) => watch(account, key)));
  const all = [...answers.values()];
  return { amounts, reads: [...answers].flatMap(([key, each]) => casesOf(key, each, all)) };
}

function intervalMs({ load, plan }: Soak, { name }: LoadedKey): number {
  const paceMs = (ROUTES.length * 1_000) / (PACE_SHARE * pacePerSecond(planKey(plan, name)));
  return Math.max(EVERY_MS_MIN, load.durationMs / READINGS_MAX, paceMs);
}

/** Of its errors nothing is held against the load: they are other endpoints'. */
async function readAccount(soak: Soak, key: LoadedKey): Promise<readonly Exchange[]> {
  return await Promise.all(ROUTES.map((route) => askBeside(soak, key, { method: "GET", route })));
}
