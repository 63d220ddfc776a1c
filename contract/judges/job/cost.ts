/** Judges that costs are not negative and add up. Spec §2.5, §2.8. */

import type { Seen } from "../../judging/claim.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, Poll } from "./reading.ts";
import { aspectFaults, count, faultOf, judgeSampled } from "./sample.ts";

/** Ours: sums of doubles and prices of six decimals round by less; USD, and share of the total. */
const SUM_TOLERANCE = 1e-6;

export function judgeCost(readings: readonly JobReading[]): Finding {
  const priced = readings.filter(({ polls }) => polls.some(hasAmount));
  return judgeSampled({
    promise: "job.cost",
    faults: [...aspectFaults(readings, "job.cost"), ...priced.flatMap(sumFaults)],
    samples: priced.length,
    kept: `${count(priced.length, "job")} with a cost, none negative, all sums right`,
    without: "no job had a cost",
  });
}

function hasAmount(poll: Poll): boolean {
  return poll.job !== null && (poll.job.cost.credits !== null || poll.job.cost.totalUsd !== null);
}

/** Completed jobs only: what a job that ended otherwise is charged of its parts is open. */
function sumFaults(reading: JobReading): readonly Seen[] {
  for (const poll of reading.polls) {
    if (poll.job?.state !== "completed") continue;
    const { totalUsd, runUsd, infraUsd } = poll.job.cost;
    if (totalUsd === null || runUsd === null || infraUsd === null) continue;
    const off = Math.abs(totalUsd - runUsd - infraUsd);
    if (off <= SUM_TOLERANCE * Math.max(1, Math.abs(totalUsd))) continue;
    return [faultOf(poll, `total_usd is ${totalUsd}; expected ${runUsd} + ${infraUsd}`)];
  }
  return [];
}
