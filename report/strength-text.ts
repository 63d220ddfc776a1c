/** What a kept promise rules out, in a line for a person. */

import type { ReportedStrength } from "./model.ts";
import { figure } from "./text.ts";

type Measured = ReportedStrength["measured"][number];

/** Ours: so many keys or workers are read; report.json has the others. */
const MEASURED_MAX = 3;

/** "98 jobs, 5 workers: faults above 3 % of jobs; wait 4,990 to 5,010 ms of 4,500 to 7,000". */
export function strengthText({ looks, measured, notTried }: ReportedStrength): string {
  const [first] = looks;
  const counted = looks.map(({ of, count }) => `${count} ${of}`).join(", ");
  const share =
    first === undefined || first.count === 0
      ? []
      : [`${counted}: rules out faults in more than ${percent(first.faultShareBelow)}`];
  const more = measured.length - MEASURED_MAX;
  return [
    ...share,
    ...measured.slice(0, MEASURED_MAX).map(measuredText),
    ...(more > 0 ? [`${more} more measured`] : []),
    ...(notTried.length === 0 ? [] : [`not tried: ${notTried.join(", ")}`]),
  ].join("; ");
}

function measuredText(measured: Measured): string {
  const { what, unit, low, high, leastTolerated: least, mostTolerated: most } = measured;
  const span = low === high ? shown(low, unit) : `${shown(low, unit)} to ${shown(high, unit)}`;
  const between = (text: (value: number) => string) => {
    if (least !== null && most !== null) return `${text(least)} to ${text(most)}`;
    return most !== null
      ? `at most ${text(most)}`
      : least !== null
        ? `at least ${text(least)}`
        : "";
  };
  const tolerated = between((value) => shown(value, unit));
  return `${what} ${span}${tolerated === "" ? "" : ` (tolerated ${tolerated})`}`;
}

function shown(value: number, unit: Measured["unit"]): string {
  if (unit === "share") return percent(value);
  if (unit === "per second") return `${figure(value)}/s`;
  return unit === "ms" ? `${Math.round(value)} ms` : String(Math.round(value));
}

function percent(share: number): string {
  return `${figure(share * 100)} %`;
}
