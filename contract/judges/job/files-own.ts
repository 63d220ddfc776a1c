/**
 * job.own-result, of the files of a load's jobs: stored under a name that two of them share, one
 * job's address leads to another's file, and that may be another account's. Spec §1.1, §2.7.
 */

import type { Claim, Read } from "../../judging/claim.ts";
import { countedClaim, countsOf } from "../../judging/claim.ts";
import { isSuccess } from "../../requests/exchange.ts";
import type { FileAfter } from "./files-after.ts";

/** A file of a job whose input has a mark, and in which there are marks. */
type Marked = FileAfter & Required<Pick<FileAfter, "own">>;

/**
 * What a file contains is up to the worker (spec §2.6), marks of others beside its own included. It
 * holds others' alone by mistake, if the worker puts the own one into other files.
 */
export function filesOwnClaim(all: readonly FileAfter[]): Claim {
  const marked = all.filter(isMarked);
  const givingBack = new Set(marked.filter(holdsOwn).map(({ worker }) => worker));
  const judged = marked.filter(({ worker }) => givingBack.has(worker));
  return countedClaim({
    promise: "job.own-result",
    ...countsOf(judged.map(readOf)),
    of: "files",
    kept: "files of the load's jobs hold the marker of the job's input",
    without: "no file of the load's jobs holds the marker of an input",
  });
}

function isMarked(each: FileAfter): each is Marked {
  const { own, tried } = each;
  return own !== undefined && isSuccess(tried) && marksOf(each).length > 0;
}

function marksOf({ tried }: FileAfter): readonly string[] {
  return tried.marks ?? [];
}

function holdsOwn(each: Marked): boolean {
  return marksOf(each).includes(each.own);
}

function readOf(each: Marked): Read {
  if (holdsOwn(each)) return { says: "good" };
  const { job, own, exchange } = each;
  const [other = ""] = marksOf(each);
  const what = `a file of job ${job} holds the mark "${other}", and not "${own}" of its own input`;
  return { says: "fault", what, exchanges: [exchange] };
}
