/** Tells of a part of the target file none of whose jobs ended as that part should. Spec §3.1. */

import { jobIn } from "../../decode/job.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import { countText } from "../../numbers/figures.ts";
import { isSuccess } from "../../requests/exchange.ts";
import type { EndState } from "../../states.ts";
import { END_STATES, isTerminal } from "../../states.ts";

export type PartJob = Pick<JobHistory, "workerId" | "expected" | "polls"> & {
  part: string | null;
};

const DID: Readonly<Record<EndState, string>> = {
  completed: "completed",
  failed: "failed",
  timeout: "timed out",
  cancelled: "were cancelled",
};

/**
 * A sentence a part: the worker or its input in the target file is most likely another's, and what
 * the run looks for in such jobs never shows.
 */
export function partEndNotes(jobs: readonly PartJob[]): readonly string[] {
  return [...new Set(jobs.map(({ part }) => part))].flatMap((part) => {
    const ofPart = jobs.filter((job) => job.part === part);
    const { expected = null, workerId } = ofPart[0] ?? {};
    if (part === null || expected === null) return [];
    const ends = ofPart.flatMap((job) => endOf(job) ?? []);
    if (ends.length === 0 || ends.includes(expected)) return [];
    const did = END_STATES.filter((end) => ends.includes(end)).map((end) => {
      const those = ends.filter((each) => each === end).length;
      return `${those} of ${countText(ends.length, "job")} ${DID[end]}`;
    });
    const names = `workers.${part} names "${workerId}"`;
    return [`${names}: ${did.join(", ")}, expected ${expected}; see the target file`];
  });
}

/** What the last answer that showed the job said; null where that is no end. */
function endOf({ polls }: PartJob): EndState | null {
  const state = jobIn(polls.findLast(isSuccess))?.state;
  return isTerminal(state) ? state : null;
}
