/** Judges that an ended job stays as it is: state, result, cost. Spec §3.1, §3.2. */

import type { Job, JobCost } from "../../decode/job-types.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StateLook } from "./reading.ts";
import { firstEnd, isBefore, stateLooks } from "./reading.ts";
import { isSameJson } from "./same-json.ts";
import type { Fault } from "./sample.ts";
import { count, judgeSampled } from "./sample.ts";

/** Jobs that somebody asked to cancel are left to cancel.not-terminal. */
export function judgeTerminalFinal(readings: readonly JobReading[]): Finding {
  const pairs = readings
    .filter(({ history }) => history.cancelRequests.length === 0)
    .flatMap(endPairs);
  const faults = pairs.flatMap(([end, later]): Fault[] => {
    const change = changeOf(end.job, later.job);
    return change === null ? [] : [{ what: change, exchanges: [end.exchange, later.exchange] }];
  });
  return judgeSampled("job.terminal-final", {
    faults,
    samples: pairs.length,
    keptSummary: `${count(pairs.length, "later look")} at ended jobs, none changed`,
    unobservedReason: "no job was looked at again after its end",
  });
}

function endPairs(reading: JobReading): readonly (readonly [StateLook, StateLook])[] {
  const end = firstEnd(reading);
  if (end === null) return [];
  return stateLooks(reading)
    .filter((look) => look !== end && isBefore(end.exchange, look.exchange))
    .map((look) => [end, look] as const);
}

/** What differs, in words; null when the job is the same. */
function changeOf(end: Job, later: Job): string | null {
  if (end.state !== later.state) {
    return `an ended job went from ${end.statusText} to ${later.statusText}`;
  }
  if (end.result !== null && !isSameJson(end.output ?? end.result, later.output ?? later.result)) {
    return `the result of a job changed after its end (${end.statusText})`;
  }
  const part = COST_PARTS.find(
    (name) => end.cost[name] !== null && end.cost[name] !== later.cost[name],
  );
  if (part === undefined) return null;
  return `the cost of an ended job went from ${end.cost[part]} to ${later.cost[part]} (${part})`;
}

/** A part that had no value at first and has one later was settled, not changed. */
const COST_PARTS: readonly (keyof JobCost)[] = [
  "credits",
  "totalUsd",
  "runUsd",
  "infraUsd",
  "billingMode",
];
