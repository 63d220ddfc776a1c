/** What a trial of the suite's own machine tells before a load, from k6 to the gate. */

import type { EvidenceRecord } from "./evidence.ts";

/** Group of the measurement that each virtual user leaves. */
export const MACHINE_MEASUREMENT = "machine";

/** Of one virtual user: what it offered, and so what the machine carries. */
export interface MachineTrial {
  /** Jobs whose requests were all answered in time. */
  jobs: number;
  seconds: number;
}

/** Ours: a trial of two seconds is not more exact. */
const SHORT_SHARE = 0.95;

/**
 * How many jobs a second the machine offers at the most; null where no trial tells. Its receiver
 * answers for less than a service does, and nothing is judged.
 */
export function machineRate(records: readonly EvidenceRecord[]): number | null {
  const trials = records.flatMap((each) =>
    each.type === "measurement" && each.group === MACHINE_MEASUREMENT
      ? [each.value as unknown as MachineTrial]
      : [],
  );
  if (trials.length === 0) return null;
  return trials.reduce((sum, { jobs, seconds }) => sum + jobs / seconds, 0);
}

/** Whether a machine of that rate is too slow for what is asked of it. */
export function isTooSlow(offered: number, asked: number): boolean {
  return offered < asked * SHORT_SHARE;
}
