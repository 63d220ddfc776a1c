/**
 * The unit of a balance that is shown too coarsely for a job to tell it exactly: what several
 * accounts of a load fell by for each unit of cost, if they agree on it. §2.10
 */

import { SMALL_UNITS } from "../../../balance/kinds.ts";
import type { Amounts } from "../../../balance/read.ts";
import type { Moving } from "../../../balance/unit-cost.ts";
import type { Account } from "./ledger.ts";
import { besideJobs } from "./moved-at-once.ts";
import { stepOf, toleranceOf } from "./steps.ts";
import { isRough, unitErrorOf } from "./unit.ts";
import { UNNAMED_RATIO } from "./which-balance.ts";

/**
 * Ours: two of them agree by chance in 1 case of 50 where one job leaves the unit as open as it
 * can; where it leaves less open, what they may agree on is as near to what it told.
 */
const AGREEING_MIN = 2;

/** Ours: four standard deviations of what rounding leaves of a charge, in steps. */
const ROUNDING_STEPS = 2;

/** What most accounts agree on, and how many jobs these ran. */
interface CommonUnit extends Moving {
  jobs: number;
}

/** The accounts, with the unit that most accounts agree on in place of the coarse one. */
export function withCommonUnits(all: readonly Account[]): readonly Account[] {
  const paths = new Set(all.flatMap(({ perCost }) => Object.keys(perCost)));
  const units = [...paths].flatMap((path) => commonUnit(all, path) ?? []);
  if (units.length === 0) return all;
  return all.map((account) => {
    const common = units.map(({ path, perCost }) => [path, perCost]);
    const rooms = units.map((unit) => [unit.path, roundingOf(account, unit)]);
    const perCost = { ...account.perCost, ...(Object.fromEntries(common) as Amounts) };
    return { ...account, perCost, unitRoom: Object.fromEntries(rooms) as Amounts };
  });
}

/**
 * What an account may differ by from the others where each charge is rounded to a step by itself:
 * their jobs are of the same mix, but neither ran many of it.
 */
function roundingOf(account: Account, unit: CommonUnit): number {
  const { jobs } = account;
  const deviations = Math.sqrt(jobs + jobs ** 2 / unit.jobs);
  return ROUNDING_STEPS * deviations * stepOf(account, unit);
}

/**
 * null where one job tells it well enough, where too few accounts agree, and where others agree on
 * another one. An amount that something else than jobs moved at once tells none.
 */
function commonUnit(all: readonly Account[], path: string): CommonUnit | null {
  const told = all.filter(({ perCost, cost, jobs }) => path in perCost && cost > 0 && jobs > 0);
  const candidates = told.flatMap((account) => {
    const known = { path, perCost: account.perCost[path] ?? 0, isShownByJobs: true } as const;
    const unit = { path, perCost: fallOf(account, path) / account.cost };
    const isTold = isRough(account, known) && isWithin(unit.perCost, known, account);
    const isSure = !lacksRound(account, unit, known);
    return isTold && isSure && besideJobs(account, unit) === null ? [{ account, unit }] : [];
  });
  const agreeingOn = (unit: Moving) => candidates.filter(({ account }) => fits(account, unit));
  const found = candidates
    .map(({ unit }) => ({ unit, agreeing: agreeingOn(unit) }))
    .filter(({ agreeing }) => agreeing.length >= AGREEING_MIN)
    .sort((a, b) => b.agreeing.length - a.agreeing.length);
  const [best] = found;
  const isBest = (each: (typeof candidates)[number]) => best?.agreeing.includes(each) ?? false;
  const isOne = found.every(({ agreeing }) => agreeing.some(isBest));
  if (best === undefined || !isOne) return null;
  return { ...best.unit, jobs: best.agreeing.reduce((sum, { account }) => sum + account.jobs, 0) };
}

/**
 * Whether it is near 100 to one, or the like, which the job may have told as well: then accounts
 * that were charged too much or too little alike would agree on it.
 */
function lacksRound(account: Account, unit: Moving, told: Moving): boolean {
  const sign = Math.sign(told.perCost);
  return SMALL_UNITS.map((round) => ({ ...unit, perCost: sign * round })).some((round) => {
    const ratio = unit.perCost / round.perCost;
    const isNear = ratio > UNNAMED_RATIO.min && ratio < UNNAMED_RATIO.max;
    return isNear && isWithin(round.perCost, told, account) && !fits(account, round);
  });
}

/** Whether it may be the unit that the job told. */
function isWithin(perCost: number, told: Moving, account: Account): boolean {
  const most = Math.abs(told.perCost) * unitErrorOf(account, told);
  return perCost !== 0 && Math.abs(perCost - told.perCost) <= most;
}

function fits(account: Account, { path, perCost }: Moving): boolean {
  const off = Math.abs(fallOf(account, path) - account.cost * perCost);
  return off < toleranceOf(account, { path, perCost });
}

function fallOf({ falls }: Account, path: string): number {
  return falls[path] ?? 0;
}
