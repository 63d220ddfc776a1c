/**
 * Judges by the balance that a job is charged once: it breaks where one that is kept in the costs'
 * own unit fell by twice what a job cost, by twice what others cost later, and rests where none
 * runs. Anything else is left to load.accounting, which sees more jobs. Spec §3.
 */

import type { Amounts } from "../../balance.ts";
import { fallsBetween, isStill, namesDollars, SUM_ERROR } from "../../balance.ts";
import { rounded } from "../../figures.ts";
import { judgeCounted } from "../../judging/decide.ts";
import type { Finding } from "../../verdict.ts";
import type { BalanceInput } from "../timeout/balance.ts";

/** Ours: costs are shown rounded. */
const ERROR_SHARE = 0.005;

/** None where the jobs of known cost were not all charged twice. */
export function judgeChargedOnce(input: BalanceInput): readonly Finding[] {
  const path = pathChargedTwice(input);
  if (path === null) return [];
  const spans = spansOf(input);
  const fell = spans.reduce((sum, span) => sum + fallAt(path, span), 0);
  const cost = spans.reduce((sum, span) => sum + span.cost, 0);
  const figures = `${path} fell by ${rounded(fell, 6)} for jobs that cost ${rounded(cost, 6)}`;
  const exchanges = input.waves.flatMap((wave) => wave.exchanges);
  const what = `${figures}, twice that each time; promised that each is charged once`;
  const told = { good: 0, of: "jobs", kept: "", without: "" };
  return [judgeCounted({ promise: "job.run-once", faults: [{ what, exchanges }], ...told })];
}

/** Whether that is so as far as was seen: reason to look whether a part is given back. */
export function seemsChargedTwice(input: BalanceInput): boolean {
  return pathsChargedTwice(input).length > 0;
}

/** The amount that shows it, and rested when no job ran; null where none does. */
function pathChargedTwice(input: BalanceInput): string | null {
  const { quiet } = input;
  const rests = (path: string) => {
    return isStill(path, quiet) && quiet.every(({ before, after }) => after[path] === before[path]);
  };
  return pathsChargedTwice(input).find(rests) ?? null;
}

function pathsChargedTwice(input: BalanceInput): readonly string[] {
  const { calibration } = input;
  const spans = spansOf(input);
  if (calibration === null || calibration.unit === undefined || spans.length < 2) return [];
  const isInDollars = calibration.unit === "usd";
  return Object.keys(calibration.before).filter((path) => {
    if (namesDollars(path) !== isInDollars) return false;
    return spans.every((span) => isTwice(fallAt(path, span), span.cost));
  });
}

interface PaidSpan {
  before: Amounts;
  after: Amounts;
  /** Of the jobs that ran in between. */
  cost: number;
}

/** Those in which jobs of known cost ran. */
function spansOf({ calibration, waves }: BalanceInput): readonly PaidSpan[] {
  const all = waves.map(({ before, after, knownCost }) => ({ before, after, cost: knownCost }));
  return [...(calibration === null ? [] : [calibration]), ...all].filter(({ cost }) => cost > 0);
}

function fallAt(path: string, { before, after }: PaidSpan): number {
  return fallsBetween(before, after)[path] ?? 0;
}

function isTwice(fall: number, cost: number): boolean {
  return Math.abs(fall - 2 * cost) <= Math.max(SUM_ERROR, 2 * ERROR_SHARE * cost);
}
