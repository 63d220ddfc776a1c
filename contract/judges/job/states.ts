/** Judges of the states that a job was seen in. Spec §3.1. */

import type { Seen } from "../../judging/claim.ts";
import type { State } from "../../states.ts";
import { parseStatus, stateRank } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StateLook } from "./reading.ts";
import { isBefore, looksToEnd } from "./reading.ts";
import { count, faultOf, judgeSampled } from "./sample.ts";

/** A text is judged against the spelling of the object's own variant; its form is job.shape's. */
export function judgeKnownStates(readings: readonly JobReading[]): Finding {
  const texts = new Set<string>();
  const faults = readings.flatMap((reading) =>
    reading.looks.flatMap((look): Seen[] => {
      const text = look.job?.statusText ?? null;
      if (look.job === null || text === null) return [];
      texts.add(text);
      const known = parseStatus(text);
      if (known === null) return [faultOf(look, `status "${text}" is not one of the states`)];
      if (known.variant === look.job.variant) return [];
      const where = `an object of variant ${look.job.variant}`;
      return [faultOf(look, `status "${text}" is variant ${known.variant}'s spelling in ${where}`)];
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
  const paths = readings.map(looksToEnd);
  const moves = paths.reduce((sum, path) => sum + Math.max(path.length - 1, 0), 0);
  return judgeSampled({
    promise: "job.forward-only",
    faults: paths.flatMap(backwardMoves),
    samples: moves,
    kept: `${count(moves, "pair")} of successive polls, none backward`,
    without: "no job was seen twice before its end",
  });
}

/** Each look that is behind the furthest one that had been answered when it was sent. */
function backwardMoves(path: readonly StateLook[]): readonly Seen[] {
  return path.flatMap((look, index): Seen[] => {
    const before = path.slice(0, index).filter((each) => isBefore(each.exchange, look.exchange));
    const furthest = before.find((each) => isAhead(each.job.state, look.job.state));
    if (furthest === undefined) return [];
    const what = `went from ${furthest.job.statusText} back to ${look.job.statusText}`;
    return [{ what, exchanges: [furthest.exchange, look.exchange] }];
  });
}

function isAhead(earlier: State, later: State): boolean {
  return stateRank(earlier) > stateRank(later);
}
