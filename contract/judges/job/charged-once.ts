/**
 * Judges by the balance that a job is charged once: it breaks where one that is kept in the costs'
 * own unit fell by twice what a job cost, by twice what others cost later, and rests for as long as
 * prices are held where none that costs runs, while no other of that unit fell by the costs.
 * Anything else is left to load.accounting, which sees more jobs. Spec §3.
 */

import type { Change } from "../../answers/balance.ts";
import {
  fallsBetween,
  isStill,
  namesDollars,
  namesOtherUnit,
  SUM_ERROR,
} from "../../answers/balance.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Finding } from "../../verdict.ts";
import type { BalanceInput } from "../timeout/balance.ts";

/** Ours: costs are shown rounded. */
const ERROR_SHARE = 0.005;

/**
 * None where the jobs of known cost were not all charged twice.
 * @param heldMs How long a price may be held.
 */
export function judgeChargedOnce(input: BalanceInput, heldMs: number): readonly Finding[] {
  const { waves, quiet } = input;
  const restMs = 1_000 * quiet.reduce((sum, { seconds }) => sum + seconds, 0);
  const path = pathsChargedTwice(input).find((each) => rests(each, input));
  if (path === undefined || restMs < heldMs) return [];
  const spans = spansOf(input);
  const fell = spans.reduce((sum, span) => sum + fallAt(path, span), 0);
  const cost = spans.reduce((sum, span) => sum + span.cost, 0);
  const figures = `${path} fell by ${rounded(fell, 6)} for jobs that cost ${rounded(cost, 6)}`;
  const exchanges = waves.flatMap((wave) => wave.exchanges);
  const what = `${figures}, twice that each time; promised that each is charged once`;
  const faults = [{ what, exchanges }];
  return judgeFaultsAlone({ promise: "job.run-once", faults, of: "jobs" });
}

/** Whether that is so as far as was seen: reason to look whether a part is given back. */
export function seemsChargedTwice(input: BalanceInput): boolean {
  return pathsChargedTwice(input).length > 0;
}

/** Whether it stayed the same wherever no job ran that costs. */
function rests(path: string, { waves, quiet }: BalanceInput): boolean {
  const spans = [...quiet, ...waves.filter(({ knownCost }) => knownCost === 0)];
  return isStill(path, quiet) && spans.every(({ before, after }) => after[path] === before[path]);
}

function pathsChargedTwice(input: BalanceInput): readonly string[] {
  const { calibration } = input;
  const spans = spansOf(input);
  if (calibration === null || calibration.unit === undefined || spans.length < 2) return [];
  const isInDollars = calibration.unit === "usd";
  const paths = Object.keys(calibration.before).filter((path) => {
    return namesDollars(path) === isInDollars && !namesOtherUnit(path);
  });
  const fellBy = (times: number) =>
    paths.filter((path) => {
      return spans.every((span) => isAbout(fallAt(path, span), times * span.cost));
    });
  return fellBy(1).length > 0 ? [] : fellBy(2);
}

interface PaidSpan extends Change {
  /** Of the jobs that ran in between. */
  cost: number;
}

/** Those in which jobs of known cost ran. */
function spansOf({ calibration, waves }: BalanceInput): readonly PaidSpan[] {
  const all = waves.map(({ before, after, knownCost }) => ({ before, after, cost: knownCost }));
  return [...(calibration === null ? [] : [calibration]), ...all].filter(({ cost }) => cost > 0);
}

function fallAt(path: string, { before, after }: Change): number {
  return fallsBetween(before, after)[path] ?? 0;
}

function isAbout(fall: number, due: number): boolean {
  return Math.abs(fall - due) <= Math.max(SUM_ERROR, ERROR_SHARE * due);
}
