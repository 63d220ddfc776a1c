/** Judges that a completed job returns the mark of its own input, as it was sent. Spec §1.1. */

import type { Seen } from "../../judging/claim.ts";
import { changedTail, cutAt, longText, MARK_TAIL, marksIn, marksWithin } from "../../marks.ts";
import { quoted } from "../../quoted.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { statePolls } from "./reading.ts";
import { count, faultOf, judgeSampled } from "./sample.ts";

interface Returned {
  poll: StatePoll;
  id: string;
  own: string;
  /** Marks in the result. */
  marks: readonly string[];
  /** The own one with another tail than was sent; null where it has the same, or none. */
  changed: string | null;
  /** Characters of a long text that came back of it; null where it came whole, or none was sent. */
  cutAt: number | null;
  workerId: string;
}

/**
 * Another job's mark is never this job's result. That the own one is missing says something only of
 * workers that give it back to others.
 */
export function judgeOwnResult(readings: readonly JobReading[]): Finding {
  const returned = readings.flatMap(returnedOf);
  const givingBack = new Set(
    returned.filter(({ own, marks }) => marks.includes(own)).map(({ workerId }) => workerId),
  );
  const judged = returned.filter(({ marks, workerId }) => {
    return marks.length > 0 || givingBack.has(workerId);
  });
  return judgeSampled({
    promise: "job.own-result",
    faults: judged.flatMap(faultsOf),
    samples: judged.length,
    of: "jobs",
    spread: [{ of: "workers", count: givingBack.size }],
    kept: `${count(judged.length, "completed job")} returned the marker of the job's input`,
    without:
      returned.length === 0 ? withoutMark(readings) : "no result holds the marker of an input",
  });
}

/** A marker that is named is of no use where no job with it completes. */
function withoutMark(readings: readonly JobReading[]): string {
  const marked = readings.filter(({ history }) => markOf(history) !== undefined);
  if (marked.length > 0) return "no job with a mark in its input completed";
  return "no job had a mark in its input; workers name a text field as `marker`";
}

function returnedOf(reading: JobReading): readonly Returned[] {
  const { issuedId, workerId } = reading.history;
  const own = markOf(reading.history);
  const poll = statePolls(reading).findLast(({ job }) => job.state === "completed");
  if (own === undefined || poll === undefined || issuedId === null) return [];
  const { output, result } = poll.job;
  // That there is none is job.result-present's.
  if (output === null && result === null) return [];
  const marks = marksWithin([output, result]);
  const changed = isTailed(reading.history, own) ? changedTail([output, result], own) : null;
  const isLong = (reading.history.submission.requestBody ?? "").includes(longText(own));
  const cut = isLong ? cutAt([output, result], own) : null;
  return [{ poll, id: issuedId, own, marks, changed, cutAt: cut, workerId }];
}

function markOf({ submission }: JobReading["history"]): string | undefined {
  return marksIn(submission.requestBody ?? "")[0];
}

function isTailed({ submission }: JobReading["history"], own: string): boolean {
  return (submission.requestBody ?? "").includes(`${own}${MARK_TAIL}`);
}

function faultsOf({ poll, id, own, marks, changed, cutAt: cut }: Returned): readonly Seen[] {
  const foreign = marks.find((mark) => mark !== own);
  if (foreign !== undefined) {
    return [faultOf(poll, `the result of job ${id} holds "${foreign}", its input "${own}"`)];
  }
  if (changed !== null) {
    const sent = quoted(`${own}${MARK_TAIL}`);
    return [faultOf(poll, `the result of job ${id} holds ${quoted(changed)}, its input ${sent}`)];
  }
  if (cut !== null) {
    const sent = `its input ${longText(own).length}`;
    return [faultOf(poll, `the text in the result of job ${id} has ${cut} characters, ${sent}`)];
  }
  if (marks.includes(own)) return [];
  return [faultOf(poll, `the result of job ${id} lacks "${own}" of its input`)];
}
