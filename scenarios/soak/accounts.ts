/** Reads the balances of the soak's accounts before and after, while no job is there. Spec §4.8. */

import { bookedEveryMsIn } from "../../contract/balance/bookings.ts";
import { movementOf, pathsMoved, SUM_ERROR, shownStep } from "../../contract/balance/changes.ts";
import { isSmallUnit } from "../../contract/balance/kinds.ts";
import type { AccountReading, Amounts } from "../../contract/balance/read.ts";
import { unitsOf } from "../../contract/balance/unit-cost.ts";
import type { EarlierJobs } from "../../contract/jobs/earlier-jobs.ts";
import {
  accountsClaim,
  movesYet,
  needsUnit,
  openJobsOf,
  withoutAccounts,
} from "../../contract/judges/load/accounting/accounts.ts";
import {
  earlierOn,
  lacksCharges,
  unendedOf,
} from "../../contract/judges/load/accounting/earlier.ts";
import type { AccountsSeen, QuietReading } from "../../contract/judges/load/accounting/readings.ts";
import { decide } from "../../contract/judging/decide.ts";
import { UNPRICED } from "../../contract/limits/budget.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { jobBetween, readAccount } from "../client/account.ts";
import { tellingJob } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import type { Soak } from "../load/soak.ts";
import type { AccountWatch } from "./account-watch.ts";
import { keyByAccount } from "./key-by-account.ts";
import type { BookingWait } from "./settling.ts";
import { settlingOf } from "./settling.ts";

/** Ours: other traffic of an account shows within this time, if it is there at all. */
const QUIET_MS = 1_000;
const QUIET_READINGS = 4;

/**
 * Before a load: once nothing is booked any more of what ran before, so that what moves still is
 * others' use of the account.
 */
export async function readRestedAccounts(
  context: Context,
  keys: readonly LoadedKey[],
): Promise<ReadonlyMap<string, QuietReading>> {
  const { world, plan } = context;
  const isStill = ({ quiet }: QuietReading) => pathsMoved(quiet).length === 0;
  const { restMs, beforeMs, looksMs } = settlingOf(plan);
  if (restMs > 0) await world.delay(restMs);
  const untilMs = world.now() + beforeMs;
  let readings = await readAccounts(context, keys);
  while (world.now() < untilMs && isUnbooked(plan, readings)) {
    await world.delay(looksMs.before);
    readings = await readAccounts(context, keys);
  }
  for (let n = 1; n < QUIET_READINGS && ![...readings.values()].every(isStill); n += 1) {
    readings = await readAccounts(context, keys);
  }
  return readings;
}

/** Whether an account fell by less than those jobs cost that ran on it before. */
function isUnbooked(plan: RunPlan, readings: ReadonlyMap<string, AccountReading>): boolean {
  return [...readings].some(([account, { amounts }]) => {
    return lacksCharges(account, earlierOn(account, plan), amounts);
  });
}

/** Readings by account. */
async function readAccounts(
  context: Context,
  keys: readonly LoadedKey[],
): Promise<ReadonlyMap<string, QuietReading>> {
  const byAccount = keyByAccount(keys);
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
  const readings = await Promise.all(
    [...keys].map(async ([account, { name }]) => [account, await readAccount(context, name)]),
  );
  return new Map(readings as [string, AccountReading][]);
}

/**
 * Reads again while the ledger does not agree, as a charge may be booked a little later.
 * `isLasting`: it did not before, and no time that passes will make it agree.
 */
export async function accountsAfter(
  soak: Soak,
  before: ReadonlyMap<string, QuietReading>,
  watched: AccountWatch,
  isLasting = false,
): Promise<AccountsSeen> {
  const endedAtMs = soak.context.world.now();
  const { plan, load } = soak;
  const wait = settlingOf(plan).after(bookedEveryMsIn(watched.values()), load.durationMs);
  const seen = await ledgerAfter(soak, before, isLasting ? null : wait);
  const isFirst = soak.context.world.shard.index === 0;
  return Object.fromEntries(
    Object.entries(seen).map(([account, readings]) => {
      const ran = earlierOn(account, plan);
      // What had ended had its minute: nothing of it is booked while the load lasts.
      const since = plan.isPatient === true ? unendedOf(ran) : ran;
      const earlier = [...since, ...acceptedByMistake(soak)];
      const meanwhile = isFirst ? (watched.get(account) ?? []) : [];
      return [account, { ...readings, meanwhile, earlier, endedAtMs }];
    }),
  );
}

/** Jobs that nobody follows: they may cost as much as others do, and no more is known of them. */
function acceptedByMistake({ context }: Soak): readonly EarlierJobs[] {
  const unknown = context.ownIds.size;
  if (unknown === 0) return [];
  const charges = { jobs: 0, credits: 0, usd: 0, unknown };
  return [{ account: null, key: "", opened: {}, charges }];
}

/** The same, with what moved after an earlier one that did not agree. */
export function withEarlier(seen: AccountsSeen, earlier: AccountsSeen | null): AccountsSeen {
  const entries = Object.entries(seen).map(([account, readings]) => {
    const own = readings.afterwards ?? [];
    const before = earlier?.[account]?.afterwards ?? [];
    const afterwards = before.length > own.length ? before : own;
    const endedAtMs = earlier?.[account]?.endedAtMs ?? readings.endedAtMs;
    return [account, { ...readings, afterwards, endedAtMs }];
  });
  return Object.fromEntries(entries) as AccountsSeen;
}

/**
 * A shard knows a part of the costs, so it can't tell whether the ledger agrees: it reads until
 * all is booked, and the amounts rest. Of all shards, the one that reads last has seen all of their
 * jobs ended. `wait`: null to read once.
 */
async function ledgerAfter(
  soak: Soak,
  before: ReadonlyMap<string, QuietReading>,
  wait: BookingWait | null,
): Promise<AccountsSeen> {
  const { context, keys, tally, plan } = soak;
  const { looksMs, isHasty } = settlingOf(plan);
  if (withoutAccounts(plan, tally) !== null) return {};
  const endedMs = context.world.now();
  const readings = [await readAccounts(context, keys)];
  let seen = accountsSeen(before, readings);
  if (wait === null) return seen;
  const restedMs = () => context.world.now() - endedMs;
  const isDue = () => {
    if (context.world.shard.count > 1) return restedMs() < wait.leastMs || !isAtRest(readings);
    if (openJobsOf(tally, plan) > 0) return false;
    // A unit that is not known yet tells nothing of what is still to be booked.
    return isUnsettled(soak, seen) || (isOfNoUnit(soak, seen) && !(isHasty && isAtRest(readings)));
  };
  while (restedMs() < wait.mostMs && isDue()) {
    const leftMs = wait.mostMs - restedMs();
    const isFirstOfShards = context.world.shard.count > 1 && readings.length === 1;
    const stepMs = isFirstOfShards ? wait.leastMs : looksMs.after;
    await context.world.delay(leftMs < 2 * stepMs && !isFirstOfShards ? leftMs : stepMs);
    readings.push(await readAccounts(context, keys));
    seen = accountsSeen(before, readings);
  }
  return seen;
}

/** A balance that is shown late looks like one in another unit. */
export function isOfNoUnit({ tally, plan }: Soak, seen: AccountsSeen): boolean {
  return needsUnit(seen, tally, plan);
}

/** Whether the last reading shows what the one before it did. */
function isAtRest(readings: readonly ReadonlyMap<string, QuietReading>[]): boolean {
  const [previous, lasts] = [readings.at(-2), readings.at(-1)];
  if (previous === undefined || lasts === undefined) return false;
  const hasMoved = ([account, { amounts }]: [string, QuietReading]) =>
    pathsMoved({ before: previous.get(account)?.amounts ?? {}, after: amounts }).length > 0;
  return ![...lasts].some(hasMoved);
}

/**
 * With what two more jobs show alike of the balance's unit, where it is not that of the costs; or
 * one of them and a third, as one may be charged as few are; or one alone, where the other moved
 * nothing. A shard knows a part of the costs.
 */
export async function inItsUnit(soak: Soak, seen: AccountsSeen): Promise<AccountsSeen> {
  const { context, tally, plan } = soak;
  if (context.world.shard.count > 1 || openJobsOf(tally, plan) > 0) return seen;
  if (!isOfNoUnit(soak, seen)) return seen;
  const { lateUnitMs } = settlingOf(plan);
  const [first, again] = [await unitOf(soak, lateUnitMs), await unitOf(soak, lateUnitMs)];
  let unit = agreedOn(first, again);
  if (!isTold(unit) && isTold(first) && isTold(again)) {
    const third = await unitOf(soak, 0);
    unit = [first, again].map((each) => agreedOn(each, third)).find(isTold) ?? unit;
  }
  const alone = isTold(unit) ? null : toldAlone(first, again);
  const { perCost, roundedBy: perCostError } = alone ?? unit;
  const isUnitRested = plan.isPatient === true;
  const told = { perCost, perCostError, isUnitRested, isUnitLone: alone !== null };
  return Object.fromEntries(
    Object.entries(seen).map(([account, readings]) => [account, { ...readings, ...told }]),
  );
}

function isTold({ perCost }: Unit): boolean {
  return Object.keys(perCost).length > 0;
}

/** By the one of them that moved amounts by just the cost, or by 100 times as much, or the like. */
function toldAlone(...units: readonly Unit[]): Unit | null {
  const [one, ...others] = units.filter(isTold);
  if (one === undefined || others.length > 0) return null;
  const isRound = ([, perCost]: [string, number]) =>
    Math.abs(perCost - 1) <= SUM_ERROR || isSmallUnit(perCost, SUM_ERROR);
  const round = Object.entries(one.perCost).filter(isRound);
  return round.length === 0 ? null : { ...one, perCost: Object.fromEntries(round) };
}

/** What both jobs moved alike, as the first tells it. */
function agreedOn({ perCost, roundedBy }: Unit, again: Unit): Unit {
  const agreed = Object.entries(perCost).filter(([path, units]) => {
    const rounded = (roundedBy[path] ?? 0) + (again.roundedBy[path] ?? 0);
    return isSameUnit(units, again.perCost[path] ?? 0, rounded);
  });
  return { perCost: Object.fromEntries(agreed), roundedBy };
}

/** Ours: others' use of the account would hardly be the same beside two jobs. */
const SAME_UNIT_SHARE = 0.01;

/** A rounded balance shows one job as well as it can; how well that is tells who judges it. */
function isSameUnit(a: number, b: number, roundedBy: number): boolean {
  return Math.abs(a - b) <= Math.max(SAME_UNIT_SHARE * Math.abs(a), roundedBy);
}

/** What a job moved amounts by for each unit of its cost, and what of that may be rounding. */
interface Unit {
  perCost: Amounts;
  roundedBy: Amounts;
}

const UNKNOWN: Unit = { perCost: {}, roundedBy: {} };

async function unitOf({ context, plan, load, prices, mix }: Soak, lateMs: number): Promise<Unit> {
  const job = tellingJob((part) => {
    const worker = mix.parts.find((each) => each.part === part)?.worker;
    return worker === undefined ? null : { part, worker, price: prices.get(worker.id) ?? UNPRICED };
  });
  if (job === null || context.caller === null) return UNKNOWN;
  const submission = { ...job, waitMs: load.durationMs };
  const read = () => readAccount(context);
  const patience = { until: "still", restMs: settlingOf(plan).restMs, lateMs } as const;
  const seen = await jobBetween(context, submission, read, patience);
  if (seen === null || seen.cost === null) return UNKNOWN;
  const { cost } = seen;
  const change = { before: seen.before.amounts, after: seen.after.amounts };
  const perCost = unitsOf({ ...change, cost });
  const roundedBy = Object.keys(perCost).map((path) => {
    return [path, shownStep(path, change) / cost] as const;
  });
  return { perCost, roundedBy: Object.fromEntries(roundedBy) };
}

export function isUnsettled({ tally, plan }: Soak, seen: AccountsSeen): boolean {
  const { verdict } = decide(accountsClaim(seen, tally, plan));
  // In a unit that is not known yet there is no verdict.
  return verdict === "broken" || verdict === "inconclusive" || movesYet(seen, tally, plan);
}

function accountsSeen(
  befores: ReadonlyMap<string, QuietReading>,
  afters: readonly ReadonlyMap<string, QuietReading>[],
): AccountsSeen {
  const seen = [...befores].flatMap(([account, before]) => {
    const read = afters.flatMap((readings) => readings.get(account) ?? []);
    const [first, last] = [read[0], read.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [[account, { before, first, last, afterwards: read.map(({ amounts }) => amounts) }]];
  });
  return Object.fromEntries(seen) as AccountsSeen;
}
