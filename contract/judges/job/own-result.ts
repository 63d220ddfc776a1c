/** Judges that a completed job returns the mark of its own input, as it was sent. Spec §1.1. */

import { isObject } from "../../decode/decoded.ts";
import type { LongReturned, ReturnedTail } from "../../jobs/marks.ts";
import {
  endsBeforeWide,
  longReturned,
  longText,
  MARK_TAIL,
  marksIn,
  marksWithin,
  returnedTail,
} from "../../jobs/marks.ts";
import type { Read } from "../../judging/claim.ts";
import { countsOf } from "../../judging/claim.ts";
import { judgeCounted } from "../../judging/decide.ts";
import { countText } from "../../numbers/figures.ts";
import { jsonBody } from "../../requests/exchange.ts";
import { quoted } from "../../text/quoted.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { statePolls } from "./reading.ts";
import { isSameJson } from "./same-json.ts";
import { faultOf } from "./sample.ts";

/** What a completed job returned, as its last poll shows it. */
interface Result {
  reading: JobReading;
  poll: StatePoll;
  id: string;
  /** The mark of its input; undefined where it has none. */
  own: string | undefined;
  /** Marks in the result. */
  marks: readonly string[];
}

interface Returned extends Result {
  own: string;
  /** null where none was sent, or the worker may have chosen what came back. */
  tail: ReturnedTail | null;
  /** null where no long text was sent, or the worker may have chosen what came back. */
  long: LongReturned | null;
  workerId: string;
  /** The worker and its input without the mark: with another input it may return other texts. */
  kind: string;
}

/**
 * Another job's mark is never this job's result. That the own one is missing says something only of
 * workers that give it back to others. What a result contains is up to the worker (spec §2.6), an
 * excerpt included: a text that ends between two characters breaks nothing unless the same worker
 * returned another one as long whole; it is in doubt where a store may have cut it. A broken
 * character is nobody's excerpt. A text that is folded to ASCII, as for names of files, in another
 * normal form, or escaped, as for a page, breaks nothing either, unless the same worker returned
 * another one whole.
 */
export function judgeOwnResult(readings: readonly JobReading[]): Finding {
  const results = readings.flatMap((each) => resultOf(each) ?? []);
  const returned = results.flatMap((each) => returnedOf(each) ?? []);
  const givingBack = new Set(
    returned.filter(({ own, marks }) => marks.includes(own)).map(({ workerId }) => workerId),
  );
  const judged = returned.filter(({ marks, workerId }) => {
    return marks.length > 0 || givingBack.has(workerId);
  });
  const kindsOf = (isSo: (each: Returned) => boolean) =>
    new Set(judged.filter(isSo).map(({ kind }) => kind));
  const wholeFrom = {
    long: kindsOf(({ long }) => long?.how === "whole"),
    tail: kindsOf(({ tail }) => tail?.how === "whole"),
  };
  return judgeCounted({
    promise: "job.own-result",
    ...countsOf([...judged.map((each) => readOf(each, wholeFrom)), ...takenOver(results)]),
    quorum: { openShare: 0 },
    of: "jobs",
    spread: [{ of: "workers", count: givingBack.size }],
    kept: `${countText(judged.length, "completed job")} returned the marker of the job's input`,
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

function resultOf(reading: JobReading): Result | null {
  const { issuedId } = reading.history;
  const poll = statePolls(reading).findLast(({ job }) => job.state === "completed");
  if (poll === undefined || issuedId === null) return null;
  const { output, result } = poll.job;
  // That there is none is job.result-present's.
  if (output === null && result === null) return null;
  const marks = marksWithin([output, result]);
  return { reading, poll, id: issuedId, own: markOf(reading.history), marks };
}

function returnedOf(seen: Result): Returned | null {
  const { reading, poll, own } = seen;
  if (own === undefined) return null;
  const { output, result } = poll.job;
  const { submission, workerId } = reading.history;
  const sent = submission.requestBody ?? "";
  const isTailed = sent.includes(`${own}${MARK_TAIL}`);
  const isLong = sent.includes(longText(own));
  const came = isTailed ? returnedTail([output, result], own) : null;
  // A worker may quote less of a long text.
  const tail = isLong && came?.how === "cut" ? null : came;
  const long = isLong ? longReturned([output, result], own) : null;
  return { ...seen, own, tail, long, workerId, kind: `${workerId} ${unmarked(sent, own)}` };
}

/** What is no input of the worker's own. Spec §4.3. */
const CONTROLS: ReadonlySet<string> = new Set(["webhook", "priority"]);

/** What was sent for the worker itself, without the field that has the mark, as JSON. */
function unmarked(sent: string, own: string): string {
  const body = jsonBody({ body: sent });
  const others = Object.entries(isObject(body) ? body : {}).filter(([name, value]) => {
    return !CONTROLS.has(name) && !JSON.stringify(value).includes(own);
  });
  return JSON.stringify(others.sort());
}

/**
 * Jobs without a mark whose result is a marked one's, as it stands. That it holds the mark alone
 * says nothing: without an input of its own, a worker may list what others have made.
 */
function takenOver(results: readonly Result[]): readonly Read[] {
  const isMarked = ({ own, marks }: Result) => own !== undefined && marks.includes(own);
  const byMark = new Map(results.filter(isMarked).map((each) => [each.own, each]));
  return results.flatMap(({ own, marks, poll, id }): Read[] => {
    if (own !== undefined) return [];
    const others = marks.flatMap((mark) => byMark.get(mark) ?? []);
    const other = others.find((each) => isSameJson(each.poll.job.result, poll.job.result));
    if (other === undefined) return [];
    const what = `job ${id}, with no mark in its input, has the result of job ${other.id}`;
    return [{ says: "fault", what, exchanges: [other.poll.exchange, poll.exchange] }];
  });
}

function markOf({ submission }: JobReading["history"]): string | undefined {
  return marksIn(submission.requestBody ?? "")[0];
}

/** Kinds of jobs that returned a long text, or a tail, whole. */
type WholeFrom = Readonly<Record<"long" | "tail", ReadonlySet<string>>>;

function readOf(returned: Returned, wholeFrom: WholeFrom): Read {
  const { poll, id, own, marks, long, tail, workerId, kind } = returned;
  const what = faultIn(returned, wholeFrom);
  if (what !== null) return { says: "fault", ...faultOf(poll, what) };
  if (long?.how === "cut" || long?.how === "excerpt") {
    const ends = `the text in the result of job ${id} ends after ${partOf(long, own)}`;
    if (wholeFrom.long.has(kind))
      return { says: "fault", ...faultOf(poll, `${ends}; "${workerId}" returned others whole`) };
    if (long.how === "cut")
      return { says: "open", ...faultOf(poll, `${ends}; worker "${workerId}" may quote no more`) };
  }
  if (tail?.how === "cut" && endsBeforeWide(tail)) {
    const ends = `the text in the result of job ${id} ends in ${quoted(tail.came)}`;
    return { says: "open", ...faultOf(poll, `${ends}; worker "${workerId}" may quote no more`) };
  }
  if (marks.includes(own)) return { says: "good" };
  return { says: "fault", ...faultOf(poll, `the result of job ${id} lacks "${own}" of its input`) };
}

/** As a worker may choose for all of its texts, and not for some. */
const CHOSEN_HOWS: readonly ReturnedTail["how"][] = ["folded", "escaped", "cut"];

/** What no worker may choose to return; null where there is nothing of the kind. */
function faultIn(returned: Returned, wholeFrom: WholeFrom): string | null {
  const { id, own, marks, tail, long, kind } = returned;
  const foreign = marks.find((mark) => mark !== own);
  if (foreign !== undefined)
    return `the result of job ${id} holds "${foreign}", its input "${own}"`;
  const isRewritten = tail !== null && CHOSEN_HOWS.includes(tail.how);
  if (tail?.how === "changed" || (isRewritten && wholeFrom.tail.has(kind))) {
    const sent = quoted(`${own}${MARK_TAIL}`);
    return `the result of job ${id} holds ${quoted(tail.came)}, its input ${sent}`;
  }
  if (long?.how !== "broken") return null;
  return `the text in the result of job ${id} has a broken character after ${partOf(long, own)}`;
}

function partOf({ chars }: LongReturned, own: string): string {
  return `${chars} of ${[...longText(own)].length} characters`;
}
