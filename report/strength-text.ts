/** What a kept promise rules out, in a line for a person. */

import type { Looks } from "../contract/strength.ts";
import type { ReportedStrength } from "./model.ts";
import { figure } from "./text.ts";

type Measured = ReportedStrength["measured"][number];

/** Ours: so many keys or workers are read; report.json has the others. */
const MEASURED_MAX = 3;

/** "98 jobs, 5 workers: faults above 3 % of jobs; wait 4,990 to 5,010 ms of 4,500 to 7,000". */
export function strengthText({ looks, measured, notTried }: ReportedStrength): string {
  const [first] = looks;
  const all = looks.map(counted).join(", ");
  const share =
    first === undefined || first.count === 0
      ? []
      : [`${all}: rules out faults in more than ${percent(first.faultShareBelow)}`];
  const more = measured.length - MEASURED_MAX;
  return [
    ...share,
    ...measured.slice(0, MEASURED_MAX).map(measuredText),
    ...(more > 0 ? [`${more} more measured`] : []),
    ...(notTried.length === 0 ? [] : [`not tried: ${notTried.join(", ")}`]),
  ].join("; ");
}

/** "1 way to fail", "2 ways to fail". */
export function counted({ of, count }: Looks): string {
  const one = of.replace(/(?<!ser)ies\b|(?<!serie)s\b/, (end) => (end === "ies" ? "y" : ""));
  return `${count} ${count === 1 ? one : of}`;
}

function measuredText(measured: Measured): string {
  const { what, unit, low, high, leastTolerated: least, mostTolerated: most } = measured;
  const span = low !== null && low === high ? shown(low, unit) : spanText(low, high, unit);
  const tolerated = spanText(least, most, unit);
  return `${what} ${span}${tolerated === "" ? "" : ` (tolerated ${tolerated})`}`;
}

/** Empty where neither side is bounded. */
function spanText(least: number | null, most: number | null, unit: Measured["unit"]): string {
  if (least !== null && most !== null) return `${shown(least, unit)} to ${shown(most, unit)}`;
  if (most !== null) return `at most ${shown(most, unit)}`;
  return least === null ? "" : `at least ${shown(least, unit)}`;
}

/** Ours: a measured share is told to a hundredth of a percent; less is of the arithmetic. */
const SHARES_TOLD = 10_000;

function shown(value: number, unit: Measured["unit"]): string {
  if (unit === "share") return percent(Math.round(value * SHARES_TOLD) / SHARES_TOLD);
  if (unit === "per second") return `${figure(value)}/s`;
  return unit === "ms" ? `${Math.round(value)} ms` : String(Math.round(value));
}

function percent(share: number): string {
  return `${figure(share * 100)} %`;
}
