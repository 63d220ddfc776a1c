/** Judges that costs are not negative and add up. Spec §2.5, §2.8. */

import { isObject } from "../../decode/decoded.ts";
import { decimalsOf } from "../../numbers/decimals.ts";
import { countText } from "../../numbers/figures.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, Poll } from "./reading.ts";
import { aspectFaults, faultOf, judgeSampled } from "./sample.ts";

/** Ours: sums of doubles and prices of six decimals round by less; USD, and share of the total. */
const SUM_TOLERANCE = 1e-6;
/** Ours: no bill is rounded to more than a cent; USD. */
const ROUNDED_TO_MAX = 0.01;
/** Ours: what a double shows beyond is what binary fractions leave. */
const SHOWN_DIGITS_MAX = 12;
/** Ours: a bill with more parts is searched no further. */
const MORE_PARTS_MAX = 5;

export function judgeCost(readings: readonly JobReading[]): Finding {
  const priced = readings.filter(({ polls }) => polls.some(hasAmount));
  const billed = priced.map(({ polls }) => polls.flatMap((poll) => billOf(poll) ?? []));
  const rounding = roundingOf(billed.flat());
  const off = billed.flatMap((bills) => bills.find((bill) => !addsUp(bill, rounding)) ?? []);
  const sums = off.map(({ poll, total, run, infra }) => {
    return faultOf(poll, `total_usd is ${total}; expected ${run} + ${infra}`);
  });
  const loose = billed.filter((bills) => bills.some((bill) => !isSum(bill, 0))).length - off.length;
  const apart = loose === 0 ? "" : `, ${loose} with a total that is rounded or has further parts`;
  return judgeSampled({
    promise: "job.cost",
    faults: [...aspectFaults(readings, "job.cost"), ...sums],
    samples: priced.length,
    kept: `${countText(priced.length, "job")} with a cost, none negative, all sums right${apart}`,
    without: "no job had a cost",
  });
}

function hasAmount(poll: Poll): boolean {
  return poll.job !== null && (poll.job.cost.credits !== null || poll.job.cost.totalUsd !== null);
}

/** A cost as one poll tells it; USD. */
interface Bill {
  poll: Poll;
  total: number;
  run: number;
  infra: number;
  /** What is told beside them: a discount, a tax. */
  more: readonly number[];
}

/** Completed jobs only: what a job that ended otherwise is charged of its parts is open. */
function billOf(poll: Poll): Bill | null {
  if (poll.job?.state !== "completed") return null;
  const { totalUsd: total, runUsd: run, infraUsd: infra } = poll.job.cost;
  if (total === null || run === null || infra === null) return null;
  const told = isObject(poll.job.raw.cost) ? poll.job.raw.cost : {};
  const { total_usd, run_usd, infra_usd, ...others } = told;
  const more = Object.values(others).filter((each) => typeof each === "number");
  return { poll, total, run, infra, more: more.slice(0, MORE_PARTS_MAX) };
}

/** What a run shows of how a service rounds amounts. */
interface Rounding {
  /** USD. */
  step: number;
  /** Whether any job has such a part: what none has is 0, and not rounded to it. */
  has: { run: boolean; infra: boolean };
}

/** Amounts are shown no finer than to the most decimals that any has. */
function roundingOf(bills: readonly Bill[]): Rounding {
  const amounts = bills.flatMap(({ total, run, infra }) => [total, run, infra]);
  const decimals = amounts.map((each) => decimalsOf(Number(each.toPrecision(SHOWN_DIGITS_MAX))));
  const finest = decimals.reduce((most, each) => Math.max(most, each), 0);
  return {
    step: Math.min(ROUNDED_TO_MAX, 10 ** -finest),
    has: { run: bills.some(({ run }) => run > 0), infra: bills.some(({ infra }) => infra > 0) },
  };
}

/**
 * Whether the total is the sum of the parts, where a service may round each amount by itself, and
 * tell of further parts. A part of 0 may have been rounded down, but not up.
 */
function addsUp(bill: Bill, { step, has }: Rounding): boolean {
  const { total, run, infra } = bill;
  const isAbove = total > run + infra;
  const rounded = (["run", "infra"] as const).filter((name) => {
    return isAbove ? has[name] : bill[name] > 0;
  });
  return (
    isSum(bill, (step * rounded.length) / 2) ||
    sumsWithMore(bill).some((sum) => {
      return isSum({ ...bill, run: sum - infra }, 0);
    })
  );
}

function isSum({ total, run, infra }: Bill, slack: number): boolean {
  const off = Math.abs(total - run - infra);
  return off <= slack + SUM_TOLERANCE * Math.max(1, Math.abs(total));
}

/** With each further part added, taken off, or left out. */
function sumsWithMore({ run, infra, more }: Bill): readonly number[] {
  return more.reduce<readonly number[]>(
    (sums, part) => sums.flatMap((sum) => [sum, sum + part, sum - part]),
    [run + infra],
  );
}
