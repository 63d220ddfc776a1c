/** From faults found in samples to a finding: the one form in which job judges decide. */

import type { JobAspect } from "../../decode/job-types.ts";
import type { Counted, Seen } from "../../judging/claim.ts";
import { judgeCounted } from "../../judging/decide.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, Poll } from "./reading.ts";

type Sampled = Omit<Counted, "good" | "of"> & {
  faults: readonly Seen[];
  /** How many samples could have shown a fault. */
  samples: number;
  /** What a sample is, in the plural; left out: a poll. */
  of?: string;
};

/** One fault breaks the promise; without a sample nothing is said. */
export function judgeSampled({ samples, ...sampled }: Sampled): Finding {
  const good = Math.max(0, samples - sampled.faults.length);
  return judgeCounted({ of: "samples", ...sampled, good, quorum: { openShare: 0 } });
}

/** The problems of one aspect, once a job and place: later answers only repeat them. */
export function aspectFaults(readings: readonly JobReading[], aspect: JobAspect): Seen[] {
  return readings.flatMap((reading) => {
    // Most jobs have none at all, and a load has many jobs.
    if (reading.polls.every(({ problems }) => problems.length === 0)) return [];
    const seen = new Set<string>();
    return reading.polls.flatMap((poll) =>
      poll.problems
        .filter(({ promise, isUnsettled }) => promise === aspect && !isUnsettled)
        .filter(({ path, expected }) => isNew(seen, `${path} ${expected}`))
        .map(({ path, expected, got }) => faultOf(poll, `${path} is ${got}; expected ${expected}`)),
    );
  });
}

export function faultOf(poll: Poll, what: string): Seen {
  return { what, exchanges: [poll.exchange] };
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
