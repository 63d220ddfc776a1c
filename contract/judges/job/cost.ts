/** Judges that costs are not negative and add up. Spec §2.5, §2.8. */

import type { Seen } from "../../judging/claim.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, Look } from "./reading.ts";
import { aspectFaults, count, faultOf, judgeSampled } from "./sample.ts";

/** Ours: sums of doubles and prices of six decimals round by less; USD, and share of the total. */
const SUM_TOLERANCE = 1e-6;

export function judgeCost(readings: readonly JobReading[]): Finding {
  const priced = readings.filter(({ looks }) => looks.some(hasAmount));
  return judgeSampled({
    promise: "job.cost",
    faults: [...aspectFaults(readings, "job.cost"), ...priced.flatMap(sumFaults)],
    samples: priced.length,
    kept: `${count(priced.length, "job")} with a cost, none negative, all sums right`,
    without: "no job with a cost was seen",
  });
}

function hasAmount(look: Look): boolean {
  return look.job !== null && (look.job.cost.credits !== null || look.job.cost.totalUsd !== null);
}

/** Completed jobs only: what a job that ended otherwise is charged of its parts is open. */
function sumFaults(reading: JobReading): readonly Seen[] {
  for (const look of reading.looks) {
    if (look.job?.state !== "completed") continue;
    const { totalUsd, runUsd, infraUsd } = look.job.cost;
    if (totalUsd === null || runUsd === null || infraUsd === null) continue;
    const off = Math.abs(totalUsd - runUsd - infraUsd);
    if (off <= SUM_TOLERANCE * Math.max(1, Math.abs(totalUsd))) continue;
    return [faultOf(look, `total_usd is ${totalUsd}; expected ${runUsd} + ${infraUsd}`)];
  }
  return [];
}
