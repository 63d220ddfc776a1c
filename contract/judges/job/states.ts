/** Judges of the states that a job was seen in. Spec §3.1. */

import type { Seen } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import { isBefore } from "../../requests/exchange.ts";
import { parseStatus, stateRank } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, Poll, StatePoll } from "./reading.ts";
import { pollsToEnd } from "./reading.ts";
import { faultOf, judgeSampled } from "./sample.ts";

/** A text is judged against the spelling of the object's own variant; its form is job.shape's. */
export function judgeKnownStates(readings: readonly JobReading[]): Finding {
  const all = readings.map(({ polls }) => firstOfEachText(polls));
  const texts = new Set(all.flatMap((each) => [...each.keys()]));
  return judgeSampled({
    promise: "job.known-states",
    faults: all.flatMap((each) => [...each].flatMap(strangeText).slice(0, 1)),
    samples: all.filter(({ size }) => size > 0).length,
    of: "jobs",
    kept: `only documented states: ${[...texts].join(", ")}`,
    without: "no job object with a status was seen",
    evidence: { seen: [...texts] },
  });
}

/** A job's polls by the status that they show, and of each the first. */
function firstOfEachText(polls: readonly Poll[]): ReadonlyMap<string, Poll> {
  const first = new Map<string, Poll>();
  for (const poll of polls) {
    const text = poll.job?.statusText ?? null;
    if (text !== null && !first.has(text)) first.set(text, poll);
  }
  return first;
}

function strangeText([text, poll]: readonly [string, Poll]): readonly Seen[] {
  const known = parseStatus(text);
  if (known === null) return [faultOf(poll, `status "${text}" is not one of the states`)];
  if (poll.job === null || known.variant === poll.job.variant) return [];
  const where = `an object of variant ${poll.job.variant}`;
  return [faultOf(poll, `status "${text}" is variant ${known.variant}'s spelling in ${where}`)];
}

/** Moves among the states before the end; what an ended job does is job.terminal-final's. */
export function judgeForwardOnly(readings: readonly JobReading[]): Finding {
  const paths = readings.map(pollsToEnd);
  const moves = paths.reduce((sum, path) => sum + Math.max(path.length - 1, 0), 0);
  return judgeSampled({
    promise: "job.forward-only",
    faults: paths.flatMap(backwardMoves),
    samples: moves,
    kept: `${countText(moves, "pair")} of successive polls, none backward`,
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
