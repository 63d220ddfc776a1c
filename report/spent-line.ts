/** What a run cost, in one line. */

import type { Report } from "./model.ts";

type Amounts = Report["budget"]["spent"];

/** "submitted 471 jobs, 4.68 USD of at most 500 jobs, 5 USD". */
export function spentLine({ budget }: Report): string {
  const { spent, ceiling } = budget;
  const most = ceiling === null ? "" : amounts(ceiling);
  const of = most === "" ? "" : ` of at most ${most}`;
  return spent.jobs === 0 ? "submitted no jobs" : `submitted ${amounts(nonZero(spent))}${of}`;
}

function amounts({ jobs, credits, usd }: Amounts): string {
  return [
    ...(jobs === null ? [] : [jobs === 1 ? "1 job" : `${jobs} jobs`]),
    ...(credits === null ? [] : [`${rounded(credits)} credits`]),
    ...(usd === null ? [] : [`${rounded(usd)} USD`]),
  ].join(", ");
}

/** A service speaks of credits or of USD; the other one stays at 0. */
function nonZero({ jobs, credits, usd }: Amounts): Amounts {
  return { jobs, credits: credits === 0 ? null : credits, usd: usd === 0 ? null : usd };
}

/** Sums of fractions have digits that mean nothing. */
function rounded(amount: number): number {
  return Math.round(amount * 1e4) / 1e4;
}
