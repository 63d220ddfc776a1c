/**
 * The unit of a balance that is shown too coarsely for a job to tell it: what several accounts of a
 * load fell by for each unit of cost, if they agree on it. §2.10
 */

import { fallsBetween } from "../../balance.ts";
import type { AccountLedger, Moving } from "./account-ledger.ts";
import { besideJobs } from "./moved-at-once.ts";
import { isCoarse, toleranceOf, unitErrorOf, without } from "./which-balance.ts";

/** Ours: two of them agree by chance in 1 case of 50, as far off as one job leaves the unit. */
const AGREEING_MIN = 2;

/** The ledgers, with the unit that most accounts agree on in place of the coarse one. */
export function withCommonUnits(all: readonly AccountLedger[]): readonly AccountLedger[] {
  const paths = new Set(all.flatMap(({ perCost }) => Object.keys(perCost)));
  const units = [...paths].flatMap((path) => commonUnit(all, path) ?? []);
  const common = Object.fromEntries(units.map(({ path, perCost }) => [path, perCost]));
  return all.map((ledger) => ({ ...ledger, perCost: { ...ledger.perCost, ...common } }));
}

/**
 * null where one job tells it well enough, where too few accounts agree, and where others agree on
 * another one. An amount that something else than jobs moved at once tells none.
 */
function commonUnit(all: readonly AccountLedger[], path: string): Moving | null {
  const told = all.filter(({ perCost, cost, jobs }) => path in perCost && cost > 0 && jobs > 0);
  const candidates = told.flatMap((ledger) => {
    const known = unitIn(ledger, path);
    const unit = { path, perCost: fallOf(ledger, path) / ledger.cost };
    const isTold = isCoarse(ledger, known) && isWithin(unit.perCost, known, ledger);
    return isTold && besideJobs(ledger, unit) === null ? [{ ledger, unit }] : [];
  });
  const agreeingOn = (unit: Moving) => candidates.filter(({ ledger }) => fits(ledger, unit));
  const found = candidates
    .map(({ unit }) => ({ unit, agreeing: agreeingOn(unit) }))
    .filter(({ agreeing }) => agreeing.length >= AGREEING_MIN)
    .sort((a, b) => b.agreeing.length - a.agreeing.length);
  const [best] = found;
  const isBest = (each: (typeof candidates)[number]) => best?.agreeing.includes(each) ?? false;
  const isOne = found.every(({ agreeing }) => agreeing.some(isBest));
  return best === undefined || !isOne ? null : best.unit;
}

function unitIn({ perCost }: AccountLedger, path: string): Moving {
  return { path, perCost: perCost[path] ?? 0 };
}

/** Whether it may be the unit that the job told. */
function isWithin(perCost: number, told: Moving, ledger: AccountLedger): boolean {
  const most = Math.abs(told.perCost) * unitErrorOf(ledger, told);
  return perCost !== 0 && Math.abs(perCost - told.perCost) <= most;
}

function fits(ledger: AccountLedger, { path, perCost }: Moving): boolean {
  const off = Math.abs(fallOf(ledger, path) - ledger.cost * perCost);
  return off < toleranceOf(ledger, { path, perCost });
}

function fallOf({ before, after, clocks }: AccountLedger, path: string): number {
  return fallsBetween(without(before, clocks), after)[path] ?? 0;
}
