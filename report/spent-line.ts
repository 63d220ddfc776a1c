/** What a run cost, in one line. */

import { countText, rounded } from "../contract/numbers/figures.ts";
import type { Report } from "./model.ts";

type Spending = Pick<Report["budget"], "spent" | "ceiling">;
type Amounts = Spending["spent"];

/** "submitted 471 jobs, 4.68 USD of at most 500 jobs, 5 USD"; no ceiling is left out. */
export function spentLine({ budget }: { budget: Spending }): string {
  const { spent, ceiling } = budget;
  const most = ceiling === null ? "" : amounts(ceiling);
  const of = most === "" ? "" : ` of at most ${most}`;
  return spent.jobs === 0 ? "submitted no jobs" : `submitted ${amounts(nonZero(spent))}${of}`;
}

/** To four digits: sums of fractions have more, which mean nothing. */
function amounts({ jobs, credits, usd }: Amounts): string {
  return [
    ...(jobs === null ? [] : [countText(jobs, "job")]),
    ...(credits === null ? [] : [`${rounded(credits, 4)} credits`]),
    ...(usd === null ? [] : [`${rounded(usd, 4)} USD`]),
  ].join(", ");
}

/** A service speaks of credits or of USD; the other one stays at 0. */
function nonZero({ jobs, credits, usd }: Amounts): Amounts {
  return { jobs, credits: credits === 0 ? null : credits, usd: usd === 0 ? null : usd };
}
