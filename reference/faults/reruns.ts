/**
 * Faults of services that lose a machine and run its jobs again. The limit of a job goes on
 * meanwhile, so that less is left of it to the second run: hence the companions.
 */

import type { Loss } from "../hooks.ts";
import { B_ONLY, type Fault, faultsOf, ofJobs, sometimes, UNDER_LOAD } from "./fault.ts";

/** Ours: share of a run, or of its limit, after which its machine is lost. */
const LOST_AT = 0.6;

/** 1 job in `oneOf` is queued again for so long, stated time. */
const rerun = (oneOf: number, seconds: number, keepsStart: boolean) =>
  ofJobs(oneOf, (chosen, { timeScale }) => ({
    loss(loss, job, limitMs): Loss | null {
      if (!chosen(job)) return loss;
      const afterMs = LOST_AT * Math.min(job.runMs, limitMs);
      return { afterMs, waitMs: seconds * 1_000 * timeScale, keepsStart };
    },
  }));

/** A gateway that waited too long for its answer sends it again. */
const sentAgain = (oneOf: number) =>
  sometimes(oneOf, (isTime) => ({ jobsStarted: (jobs) => (isTime() ? jobs + 1 : jobs) }));

const COMPANIONS = ["load.latency", "timeout.not-early", "timeout.under-load"] as const;

export const RERUN_FAULTS: readonly Fault[] = [
  ...faultsOf("job.forward-only", {
    "1-in-20-runs-again": [
      "The machine of 1 job in 20 is lost: it waits 2.5 s again, and tells its first start",
      rerun(20, 2.5, true),
      { ...UNDER_LOAD, companions: ["job.run-once", ...COMPANIONS] },
    ],
  }),
  ...faultsOf("job.run-once", {
    "1-in-40-runs-again": [
      "The machine of 1 job in 40 is lost: it waits 0.2 s again, and tells its second start",
      rerun(40, 0.2, false),
      { ...UNDER_LOAD, ...B_ONLY, companions: ["job.forward-only", "job.duration", ...COMPANIONS] },
    ],
    "1-in-12-starts-two-jobs": [
      "1 submission in 12 starts two jobs",
      sentAgain(12),
      { companions: ["webhook.truthful", "load.accounting"] },
    ],
  }),
];
