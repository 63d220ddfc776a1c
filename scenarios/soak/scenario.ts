/** Offers a mix of jobs at an arrival rate, and follows each to its end. */

import { LIST_LAG_MS } from "../../contract/judges/job/lists/list-limit.ts";
import { COST_DUE_MS } from "../../contract/judges/job/shape.ts";
import type { AccountsSeen } from "../../contract/judges/load/accounting/readings.ts";
import { BUDGET_ENDED } from "../../contract/limits/budget.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { scenarioPromises } from "../catalogue.ts";
import type { Context } from "../client/context.ts";
import { DRAIN_MS_MAX, drain } from "../load/followed/drain.ts";
import { loadSeen } from "../load/load-seen.ts";
import type { Preparation } from "../load/offered/preparation.ts";
import { newSoak, prepare } from "../load/offered/preparation.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import { runLoad } from "../load/run-load.ts";
import type { Soak } from "../load/soak.ts";
import type { Reporter } from "../world/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import type { AccountsWatched, AccountWatch } from "./account-watch.ts";
import { watchAccounts } from "./account-watch.ts";
import {
  accountsAfter,
  inItsUnit,
  isOfNoUnit,
  isUnsettled,
  readRestedAccounts,
  withEarlier,
} from "./accounts.ts";
import { askMeanwhile } from "./answers-after.ts";
import { filesAfterLoad, unfiledAfterLoad } from "./files-after.ts";
import { listsAfterLoad, listsMeanwhile } from "./job-lists.ts";
import { isOnAtShare, isWaitingOn } from "./load-progress.ts";
import { overloadMeanwhile } from "./overloads.ts";
import { readUnpriced } from "./reads.ts";
import { refusedAfterLoad, tracesAfterLoad } from "./refused-after.ts";
import { refuseMeanwhile } from "./refused-meanwhile.ts";
import { settlingOf } from "./settling.ts";

/** Ours: reading of workers and accounts before, last readings and judging after. */
const AROUND_MS = 180_000;

/** What single requests show that run nothing. */
const ANSWERED_ALONE: readonly PromiseId[] = [
  "auth.missing-key",
  "auth.every-endpoint",
  "auth.invalid-key",
  "auth.revoked-key",
  "auth.error-body",
  "job.unknown",
  "workers.unknown",
  "workers.list-shape",
  "workers.category-filter",
  "workers.text-filter",
  "workers.detail-shape",
  "submit.malformed",
  "submit.missing-field",
  "submit.schema-violation",
];

/** What requests beyond a limit show. */
const OVERLOADED: readonly PromiseId[] = [
  "rate.limited",
  "rate.retry-after-present",
  "rate.retry-after-valid",
  "submit.insufficient-credits",
];

const LISTED: readonly PromiseId[] = ["job.list-limit", "job.list-own"];

const REFUSED: readonly PromiseId[] = [
  ...ANSWERED_ALONE,
  ...OVERLOADED,
  "submit.rejected-runs-nothing",
];

export const soakScenario: Scenario = {
  name: "soak",
  promises: scenarioPromises("soak"),
  secondsMax(plan) {
    const loadMs = (plan.load?.durationMs ?? 0) + DRAIN_MS_MAX[plan.profile];
    return (loadMs + COST_DUE_MS + AROUND_MS + settlingOf(plan).mostMs) / 1_000;
  },
  /** The requests before and after the load go out with a key that carries it, and no other. */
  callerOf: ({ roles }) => roles.loaded[0] ?? roles.caller,
  async run(context, report) {
    const preparation = await prepare(context, context.plan);
    const watchesAccounts = context.asks("load.accounting");
    const { keys } = preparation.rates;
    const before = watchesAccounts ? await readRestedAccounts(context, keys) : null;
    const { soak, watched, overloads } = await run(context, report, preparation);
    report.observed("soak.load", loadSeen(soak));
    if (soak.tally.variant !== null) report.variant(soak.tally.variant);
    const asks = (ids: readonly PromiseId[]) => isAskedOf(context, ids);
    if (asks(LISTED)) {
      report.observed("soak.job-lists", await listsAfterLoad(context, soak));
    }
    if (asks(["job.files", "job.files-readable", "job.own-result"])) {
      report.observed("soak.files", await filesAfterLoad(context, soak));
      report.observed("soak.unfiled", await unfiledAfterLoad(context, soak));
    }
    if (context.plan.promises.includes("account.readable")) {
      const after = await readLongAccounts(context, keys);
      report.observed("soak.account-reads", [...watched.reads, ...after]);
    }
    if (before !== null && asks(["load.accounting"])) await readUnpriced(context, soak);
    const ledger = before === null ? null : await ledgerSoFar(soak, before, watched.amounts);
    if (asks(REFUSED)) {
      const { catalogue } = preparation;
      const watches = asks(["submit.rejected-runs-nothing"]);
      const refused = watches
        ? await tracesAfterLoad(context, soak, catalogue)
        : { ...(await refusedAfterLoad(context, soak, catalogue)), traces: null };
      report.observed("soak.answers", refused.answers);
      overloads.push(...refused.overloads);
      if (refused.traces !== null) report.observed("soak.traces", refused.traces);
    }
    for (const overload of overloads) report.observed("soak.press", overload);
    if (before === null) return;
    const accounts = await lastLedger(soak, before, watched.amounts, ledger);
    if (accounts !== null) report.observed("soak.accounts", accounts);
  },
};

/**
 * Before what is to be refused is sent: a job that tells a charge for it has a cost of its own.
 * Null for shards, which read once, at the end.
 */
async function ledgerSoFar(
  soak: Soak,
  before: Awaited<ReturnType<typeof readRestedAccounts>>,
  watched: AccountWatch,
): Promise<AccountsSeen | null> {
  if (soak.context.world.shard.count > 1) return null;
  return await accountsAfter(soak, before, watched);
}

/**
 * What was refused meanwhile has cost nothing: that shows in the balances, too. Where the ledger
 * did not agree before, no time that passes will make it agree.
 */
async function lastLedger(
  soak: Soak,
  before: Awaited<ReturnType<typeof readRestedAccounts>>,
  watched: AccountWatch,
  ledger: AccountsSeen | null,
): Promise<AccountsSeen | null> {
  if (soak.context.ownIds.size > 0) return ledger === null ? null : await inItsUnit(soak, ledger);
  const isLasting = ledger !== null && (isUnsettled(soak, ledger) || isOfNoUnit(soak, ledger));
  const seen = await accountsAfter(soak, before, watched, isLasting);
  return await inItsUnit(soak, withEarlier(seen, ledger));
}

/** Whether one of the promises is asked for; of several shards the first reads for all of them. */
function isAskedOf({ plan, world }: Context, ids: readonly PromiseId[]): boolean {
  return world.shard.index === 0 && ids.some((id) => plan.promises.includes(id));
}

/** An account with a long history may read otherwise than a new one. Spec §4.8. */
async function readLongAccounts(context: Context, keys: readonly LoadedKey[]) {
  const calls = keys.flatMap(({ name: key }) =>
    (["me", "credits", "deployments"] as const).map((route) => ({ key, route })),
  );
  const ask = async ({ key, route }: (typeof calls)[number]) => {
    const asked = await context.askAgain({ method: "GET", route, key });
    return { what: `${route} with key ${key}`, ...asked };
  };
  return await Promise.all(calls.map(ask));
}

const GONE = "the service answered nobody any more";

const NOT_WATCHED: AccountsWatched = { amounts: new Map(), reads: [] };

async function run(context: Context, report: Reporter, preparation: Preparation) {
  const soak = newSoak(context, context.plan, preparation);
  const watching = context.asks("load.accounting") ? watchAccounts(soak) : null;
  const overloading = isAskedOf(context, OVERLOADED)
    ? overloadMeanwhile(soak, preparation.catalogue)
    : null;
  const watches = watchMeanwhile(soak, report, preparation);
  const refusing = context.asks("load.accounting") ? refuseMeanwhile(soak) : null;
  void tellProgress(soak, report);
  await runLoad(soak, async (isWhole) => {
    soak.isWhole = isWhole;
    if (!isWhole) soak.offerUntilMs = Math.min(soak.offerUntilMs, context.world.now());
    if (!isWhole) soak.whyEnded = context.isGone ? GONE : context.spending.whyNot(BUDGET_ENDED);
    if (!isWhole) context.note(`the soak ended early, as ${soak.whyEnded}`);
    await drain(soak);
  });
  const overloads = [...((await overloading) ?? [])];
  await watches;
  await refusing;
  return { soak, watched: (await watching) ?? NOT_WATCHED, overloads };
}

/** Ours: the load is in full swing by then, and no key is overloaded. */
const MEANWHILE_AT_SHARE = 0.6;

async function watchMeanwhile(
  soak: Soak,
  report: Reporter,
  { catalogue }: Preparation,
): Promise<void> {
  const { context } = soak;
  const [lists, answers] = [LISTED, ANSWERED_ALONE].map((ids) => isAskedOf(context, ids));
  if (!(lists || answers) || !(await isOnAtShare(soak, MEANWHILE_AT_SHARE))) return;
  if (lists) report.observed("soak.job-lists", await listsMeanwhile(soak, soak.keys.slice(0, 1)));
  if (answers) report.observed("soak.answers", await askMeanwhile(soak, catalogue));
  if (!(lists && (await isWaitingOn(soak, LIST_LAG_MS)))) return;
  // Those that run are among the latest, and a busy account has a hundred later ends.
  report.observed("soak.job-lists", await listsMeanwhile(soak, soak.keys));
}

/**
 * Ours: often enough to see that it is alive, and some hundred lines at the most. k6 ends with the
 * last timer, so none may be long.
 */
const PROGRESS = { everyMsMin: 5_000, linesMax: 400, checkMs: 200 };

async function tellProgress(soak: Soak, report: Reporter): Promise<void> {
  const { world } = soak.context;
  const everyMs = Math.max(PROGRESS.everyMsMin, soak.load.durationMs / PROGRESS.linesMax);
  for (let dueMs = soak.startMs; soak.phase !== "over"; await world.delay(PROGRESS.checkMs)) {
    if (world.now() < dueMs) continue;
    dueMs += everyMs;
    const { offered, ended, waiting, dropped } = soak.tally;
    const seconds = Math.max(0, Math.round((world.now() - soak.startMs) / 1_000));
    const of = Math.round(soak.load.durationMs / 1_000);
    const jobs = `${offered} jobs, ${ended} ended, ${waiting} waiting`;
    const lacking = dropped === 0 ? "" : `, ${dropped} dropped`;
    report.progress(`${seconds} of ${of} s: ${jobs}${lacking}`);
  }
}
