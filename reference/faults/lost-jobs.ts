/** Jobs that get lost, by being forgotten or by never ending. */

import type { Job } from "../jobs/job.ts";
import { chosenOneIn, type Fault } from "./fault.ts";
import type { Which } from "./job-views.ts";

/** Hides 1 job in `oneOf` from its reader, once `hidden` says so. */
export function vanishing(oneOf: number, hidden: Which): Fault["create"] {
  return ({ clock, random }) => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return { visible: (visible, job) => visible && !(chosen(job) && hidden(job, clock)) };
  };
}

/** Lets 1 job in `oneOf` run on for ever, without a limit. */
export function endless(oneOf: number): Fault["create"] {
  return ({ random }) => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return {
      runMs: (runMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : runMs),
      limitMs: (limitMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : limitMs),
    };
  };
}
