/** Judges completed jobs per second against the share of the offered ones. Spec §1. */

import { measuredAs } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { HostLag } from "./generator.ts";
import { lagAllowanceMs, machineDoubt } from "./generator.ts";

/** Jobs of two windows of equal length: submissions, and ends later by the warm-up. */
export interface SteadyPart {
  /** Jobs offered in the window that begins with the soak. */
  offered: number;
  /** Jobs that ended as they should in the window that ends with it. */
  completed: number;
  seconds: number;
}

/** Ours: fewer jobs than that are decided by which second a few of them fall into. */
const OFFERED_MIN = 50;

export function judgeThroughput(
  steady: SteadyPart | null,
  share: number | null,
  doubt: string | null,
  lag: HostLag,
): Finding {
  const promise = "load.throughput";
  if (share === null) return unobserved(promise, "no objective for the throughput is set");
  if (steady === null) {
    return inconclusive(promise, "the soak was shorter than twice the time that its jobs take");
  }
  const { offered, completed, seconds } = steady;
  const reached = offered === 0 ? 0 : completed / offered;
  const evidence = {
    completedPerSecond: round(completed / seconds),
    offeredPerSecond: round(offered / seconds),
    share: round(reached),
    objectiveShare: share,
    seconds,
  };
  if (doubt !== null) return inconclusive(promise, doubt, { evidence });
  if (offered < OFFERED_MIN) {
    const reason = `${offered} jobs in the steady part are too few; expected ${OFFERED_MIN}`;
    return inconclusive(promise, reason, { evidence });
  }
  const summary =
    `${round(completed / seconds)} of ${round(offered / seconds)} offered jobs/s completed, ` +
    `${percent(reached)}; objective ${percent(share)}`;
  if (reached >= share) {
    const low = round(reached);
    const measured = { what: "completed", unit: "share", low, high: low } as const;
    const tolerated = { leastTolerated: share, mostTolerated: null };
    const strength = measuredAs([{ ...measured, ...tolerated }], { of: "jobs", count: offered });
    return kept(promise, summary, { evidence, strength });
  }
  const excuse = excuseOf(steady, share, lag);
  if (excuse !== null) return inconclusive(promise, `${summary}; ${excuse}`, { evidence });
  return broken(promise, summary, { evidence });
}

/** Why the missing ends may be this machine's fault; null where they are not. */
function excuseOf({ offered, completed, seconds }: SteadyPart, share: number, lag: HostLag) {
  const late = (offered / seconds) * (lagAllowanceMs(lag.lastThirdMs) / 1_000);
  if (completed + late < share * offered) return machineDoubt(lag);
  return `this machine's own lag of ${Math.round(lag.lastThirdMs)} ms explains it`;
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
