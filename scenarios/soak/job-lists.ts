/**
 * While a load is on, one key's list of recent jobs, and after it each key's. After so many jobs a
 * list without a limit shows itself, one that stands still, and one that mixes the accounts.
 * Spec §4.5.
 */

import type { OwnJob } from "../../contract/judges/job/lists/list-limit.ts";
import { keptBack, LIST_LAG_MS_MAX, leftOut } from "../../contract/judges/job/lists/list-limit.ts";
import type { AskedList } from "../../contract/judges/job/lists/refused-list.ts";
import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import type { ListAfter } from "../../contract/judges/steps.ts";
import { isFailure } from "../../contract/judges/webhook/attempts.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { asQuoted } from "../../contract/verdict.ts";
import type { Context } from "../client/context.ts";
import { pollList } from "../client/followed/poll-list.ts";
import type { Entry } from "../load/followed/ledger.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import { askBeside } from "../load/offered/requests.ts";
import type { Soak } from "../load/soak.ts";
import { pollUntil } from "../world/poll-until.ts";

/** Ours: while jobs go on to come, a list is soon full of later ones; and how often it is asked. */
const MEANWHILE_MS_MAX = 10_000;
const LAG_WAIT_MS = 1_000;

/** By those keys, each in its turn beside the load. */
export async function listsMeanwhile(
  soak: Soak,
  keys: readonly LoadedKey[],
): Promise<readonly ListAfter[]> {
  const ask = (key: LoadedKey) => askBeside(soak, key, { method: "GET", route: "jobs" });
  return await listsOf(soak.context, soak.bystander, keys, { ask, forMs: MEANWHILE_MS_MAX });
}

export async function listsAfterLoad(context: Context, soak: Soak): Promise<readonly ListAfter[]> {
  const askOf = (route: "jobs" | "me") => {
    return ({ name }: LoadedKey) => context.ask({ method: "GET", route, key: name });
  };
  const asking = { ask: askOf("jobs"), elsewhere: askOf("me"), forMs: LIST_LAG_MS_MAX };
  return await listsOf(context, soak.bystander, soak.keys, asking);
}

interface Asking {
  ask: (key: LoadedKey) => Promise<Exchange>;
  /** Left out: a busy service may have shed a load of lists. */
  elsewhere?: (key: LoadedKey) => Promise<Exchange>;
  forMs: number;
}

/** By what is known now: the oldest jobs are forgotten while a list is waited for. */
async function listsOf(
  context: Context,
  { first, latest }: Soak["bystander"],
  keys: readonly LoadedKey[],
  asking: Asking,
): Promise<readonly ListAfter[]> {
  const known = [...new Set([...first.values(), ...latest])];
  return await Promise.all(keys.map((key) => listOf(context, key, known, asking)));
}

async function listOf(
  { world, plan }: Context,
  key: LoadedKey,
  known: readonly Entry[],
  { ask, elsewhere, forMs }: Asking,
): Promise<ListAfter> {
  const own = known.filter((entry) => entry.key === key).flatMap((each) => ownJob(each, plan));
  const foreign = known.filter((entry) => areApart(entry.key, key));
  const polling = {
    ask: () => ask(key),
    isEnough: (each: Exchange) => each.status === 200 && leftOut(each, own) === null,
    untilMs: world.now() + forMs,
    waitMs: () => LAG_WAIT_MS,
  };
  const seen: AskedList =
    elsewhere === undefined
      ? { list: await pollUntil(world, polling) }
      : await pollList(world, polling, () => elsewhere(key));
  const { list } = seen;
  const left = keptBack(list, own);
  const { submission = null } = known.find(({ id }) => id === left) ?? {};
  return {
    key: key.name,
    ...seen,
    own,
    leftOut: left === null || submission === null ? null : asQuoted(submission),
    foreignIds: foreign.flatMap(({ id }) => id ?? []),
  };
}

/** An account that is not declared may be any. */
function areApart(a: LoadedKey, b: LoadedKey): boolean {
  return a.account !== null && b.account !== null && accountOf(a) !== accountOf(b);
}

function ownJob(entry: Entry, plan: RunPlan): readonly OwnJob[] {
  const { id, submission } = entry;
  if (id === null || submission === null) return [];
  const { sentAtMs, receivedAtMs } = submission;
  return [{ id, sentAtMs, receivedAtMs, settledAtMs: settledAtMs(entry, plan) }];
}

/** A webhook changes its job after the end; one that is tried again, long after it. */
export function settledAtMs(
  { endSeenAtMs, told }: Pick<Entry, "endSeenAtMs" | "told">,
  { receiver, times }: Pick<RunPlan, "receiver" | "times">,
): number | null {
  if (endSeenAtMs === null || receiver === null) return endSeenAtMs;
  if (told === null || isFailure(told.answer, times)) return null;
  return Math.max(endSeenAtMs, told.arrivedAtMs);
}
