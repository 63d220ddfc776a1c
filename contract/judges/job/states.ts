/** Judges of the states that a job was seen in. Spec §3.1. */

import type { Seen } from "../../judging/claim.ts";
import { parseStatus, stateRank } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { isBefore, pollsToEnd } from "./reading.ts";
import { count, faultOf, judgeSampled } from "./sample.ts";

/** A text is judged against the spelling of the object's own variant; its form is job.shape's. */
export function judgeKnownStates(readings: readonly JobReading[]): Finding {
  const texts = new Set<string>();
  const faults = readings.flatMap((reading) =>
    reading.polls.flatMap((poll): Seen[] => {
      const text = poll.job?.statusText ?? null;
      if (poll.job === null || text === null) return [];
      texts.add(text);
      const known = parseStatus(text);
      if (known === null) return [faultOf(poll, `status "${text}" is not one of the states`)];
      if (known.variant === poll.job.variant) return [];
      const where = `an object of variant ${poll.job.variant}`;
      return [faultOf(poll, `status "${text}" is variant ${known.variant}'s spelling in ${where}`)];
    }),
  );
  return judgeSampled({
    promise: "job.known-states",
    faults,
    samples: texts.size,
    kept: `only documented states: ${[...texts].join(", ")}`,
    without: "no job object with a status was seen",
    evidence: { seen: [...texts] },
  });
}

/** Moves among the states before the end; what an ended job does is job.terminal-final's. */
export function judgeForwardOnly(readings: readonly JobReading[]): Finding {
  const paths = readings.map(pollsToEnd);
  const moves = paths.reduce((sum, path) => sum + Math.max(path.length - 1, 0), 0);
  return judgeSampled({
    promise: "job.forward-only",
    faults: paths.flatMap(backwardMoves),
    samples: moves,
    kept: `${count(moves, "pair")} of successive polls, none backward`,
    without: "no job was seen twice before its end",
  });
}

/** Each poll that is behind the furthest one that had been answered when it was sent. */
function backwardMoves(path: readonly StatePoll[]): readonly Seen[] {
  return path.flatMap((poll, index): Seen[] => {
    const before = path.slice(0, index).filter((each) => isBefore(each.exchange, poll.exchange));
    const furthest = before.find((each) => stateRank(each.job.state) > stateRank(poll.job.state));
    if (furthest === undefined) return [];
    const what = `went from ${furthest.job.statusText} back to ${poll.job.statusText}`;
    return [{ what, exchanges: [furthest.exchange, poll.exchange] }];
  });
}
