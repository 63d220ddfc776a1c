/** Jobs that get lost, by being forgotten or by never ending. */

import { ofJobs } from "./fault.ts";
import type { Which } from "./job-views.ts";

/** Hides 1 job in `oneOf` from its reader, once `hidden` says so. */
export const vanishing = (oneOf: number, hidden: Which) =>
  ofJobs(oneOf, (chosen, { clock }) => ({
    visible: (visible, job) => visible && !(chosen(job) && hidden(job, clock)),
  }));

/** Lets 1 job in `oneOf` run on for ever, without a limit. */
export const endless = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => ({
    runMs: (runMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : runMs),
    limitMs: (limitMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : limitMs),
  }));
