/** Jobs that get lost, by being forgotten or by never ending. */

import type { Hooks } from "../hooks.ts";
import type { RequestFacts } from "../http.ts";
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

/** Nobody goes on with a job whose submission's connection has closed while that is on. */
export function endlessAfterHangUp(isOn = () => true): Partial<Hooks> {
  let isHungUp = false;
  return {
    decision: (decision, _, request) => {
      isHungUp = isOn() && closesConnection(request);
      return decision;
    },
    // A job is made while its submission is answered, and has its run time from then on.
    runMs: (runMs) => (isHungUp ? Number.POSITIVE_INFINITY : runMs),
    limitMs: (limitMs, { runMs }) => (runMs === Number.POSITIVE_INFINITY ? runMs : limitMs),
  };
}

/** Whether the caller says that it closes. RFC 9112 §9.6. */
function closesConnection({ rawHeaders }: RequestFacts): boolean {
  return rawHeaders.some((name, at) => {
    const isNamed = at % 2 === 0 && name.toLowerCase() === "connection";
    return isNamed && rawHeaders[at + 1]?.toLowerCase() === "close";
  });
}
