/**
 * job.files-readable, of jobs that a load has left: each file was asked for once, without a key,
 * and tells its size by the head of its answer. Some were asked for at their job's end, too: by
 * then a caller needs them. Spec §2.7.
 */

import { jobIn } from "../../decode/job.ts";
import type { FileEntry } from "../../decode/job-types.ts";
import type { FileTried } from "../../jobs/job-history.ts";
import type { Claim, Read, Seen } from "../../judging/claim.ts";
import { countedClaim, countsOf } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isClientError, isSuccess } from "../../requests/exchange.ts";
import { hostIn, isInternal } from "../../requests/loopback.ts";
import { quoted } from "../../text/quoted.ts";
import type { Finding } from "../../verdict.ts";
import { LONGEST_VIEW_LAG_MS, VIEW_LAG_MS } from "./reading.ts";

/** The first file of a job, just after the job was read again. */
export interface FileAfter {
  job: string;
  key: string;
  /** When its end was seen. */
  endedAtMs: number;
  /** What showed its address. */
  exchange: Exchange;
  file: FileEntry;
  tried: FileTried;
  /** What it answered when its job's end was known, and until views lag no longer. */
  atEnd?: FileTried;
  /** What it answered more than `AWAY_MS` later. Left out: all were there at once. */
  again?: FileTried;
  /** Left out: in evidence of earlier versions. */
  worker?: string;
  /** The mark of the job's input. Left out: it has none. */
  own?: string;
}

export function filesAfterClaim(all: readonly FileAfter[]): Claim {
  const faults = [...all.flatMap((each) => faultIn(each, all) ?? []), ...missedAtTimes(all)];
  return countedClaim({
    promise: "job.files-readable",
    faults,
    good: all.filter(({ file, tried }) => isSuccess(tried) && tried.bytes === file.sizeBytes)
      .length,
    of: "files",
    kept: "files of the load's jobs are there in the stated size",
    without: "no file of the load's jobs told its size",
  });
}

function faultIn({ job, file, tried, exchange, ...seen }: FileAfter, all: readonly FileAfter[]) {
  const told = (what: string): Seen => ({
    what: `a file of job ${job} ${what}`,
    exchanges: [exchange],
  });
  const { status, bytes } = tried;
  const { atEnd } = seen;
  if (isSuccess(tried)) {
    if (bytes !== null && bytes !== file.sizeBytes)
      return told(`has ${bytes} bytes; \`size_bytes\` is ${file.sizeBytes}`);
    return atEnd !== undefined && isRefusedFile(atEnd) ? told(lateText(atEnd)) : null;
  }
  if (status === 0 && isAway(file, all)) {
    const host = quoted(hostIn(file.url));
    return told(`is at ${host}, which does not answer, and those of other jobs are at public ones`);
  }
  if (!isRefusedFile(tried)) return null;
  const older = all.find((each) => each.key === seen.key && isOlder(each, seen));
  if (older === undefined) return null;
  return told(`is answered ${status}, and that of job ${older.job}, which ended before, is there`);
}

/**
 * Stored on several machines, of which one lacks some: files of jobs that had ended long before are
 * said to be none, and are there when they are asked for again, while most are there at once. An
 * instance that starts up does so at one time; this is so at two.
 */
function missedAtTimes(all: readonly FileAfter[]): readonly Seen[] {
  const old = all.filter(
    ({ exchange, endedAtMs }) => exchange.sentAtMs >= endedAtMs + LONGEST_VIEW_LAG_MS,
  );
  const missed = old.filter(({ tried }) => wasMissed(tried));
  const later = old.filter(({ again }) => again !== undefined && wasMissed(again));
  if (![missed, later].every(({ length }) => length > 0 && length * 2 <= old.length)) return [];
  return [...new Set([...missed, ...later])].map(({ job, exchange }) => ({
    what: `a file of job ${job} is answered 404, and is there seconds later, as others always are`,
    exchanges: [exchange],
  }));
}

/** There at last; what is refused otherwise may be for too many requests. */
export function wasMissed(tried: FileTried): boolean {
  return isSuccess(tried) && tried.firstStatus === 404;
}

/**
 * One part of a service signs addresses of its own network, while others sign public ones. Where
 * that network is the reader's, too, the host answers for other files.
 */
function isAway({ url }: FileEntry, all: readonly FileAfter[]): boolean {
  const served = all.flatMap(({ file, tried }) => (isSuccess(tried) ? [file.url] : []));
  const isThere = served.some((each) => hostIn(each) === hostIn(url));
  return isInternal(url) && !isThere && served.some((each) => !isInternal(each));
}

/**
 * Of one that is there now, and was refused as long as it was asked for at its job's end. Of one
 * that is refused still, the address may have expired before the end was seen.
 */
export function lateText({ status }: Pick<FileTried, "status">): string {
  const seconds = LONGEST_VIEW_LAG_MS / 1_000;
  return `was answered ${status} until ${seconds} s after its job's end was known`;
}

/**
 * An address that has expired since takes the older ones of the same key with it. Each is signed
 * when its job ends, or when its job is first read after that.
 */
function isOlder({ tried, endedAtMs }: FileAfter, than: Pick<FileAfter, "endedAtMs">): boolean {
  return isSuccess(tried) && endedAtMs + VIEW_LAG_MS <= than.endedAtMs;
}

/** Of a range that it can't give a storage may say so with 416. RFC 9110 §15.5.17. */
export function isRefusedFile(tried: Pick<FileTried, "status">): boolean {
  return isClientError(tried) && tried.status !== 429 && tried.status !== 416;
}

/** A job of the part that has files whose end showed none, read again after the load. */
export interface Unfiled extends Pick<FileAfter, "job" | "endedAtMs" | "exchange"> {
  worker: string;
  /** Share of the completed jobs of its part whose end showed files. */
  filedShare: number;
}

/** Ours: a worker that makes files of fewer jobs of one input, as a model may, does as it likes. */
const FILED_SHARE_MIN = 0.75;

/**
 * job.files: an empty list says that a job has no files (spec §2.7), and storing them may fail
 * unseen. Whether a worker makes files is up to it: they are missing where three in four jobs of
 * the same input have some. An older job that still has them shows that none are deleted by now.
 */
export function judgeUnfiled(
  unfiled: readonly Unfiled[],
  filed: readonly FileAfter[],
): readonly Finding[] {
  const bare = unfiled.filter(({ exchange, endedAtMs }) => {
    const job = jobIn(exchange);
    const isSettled = exchange.sentAtMs >= endedAtMs + LONGEST_VIEW_LAG_MS;
    return isSettled && job?.state === "completed" && job.files?.length === 0;
  });
  const faults = bare.flatMap(({ job, worker, endedAtMs, exchange, filedShare }): Seen[] => {
    const older = filed.find((each) => each.worker === worker && each.endedAtMs <= endedAtMs);
    if (filedShare <= FILED_SHARE_MIN || older === undefined) return [];
    const what = `job ${job} completed without files, job ${older.job} of the same input has them`;
    return [{ what, exchanges: [exchange, older.exchange] }];
  });
  const good = filed.length;
  return judgeFaultsAlone({ promise: "job.files", faults, good, of: "jobs" });
}

/** A file of a job whose input has a mark, and in which there are marks. */
type Marked = FileAfter & Required<Pick<FileAfter, "own">>;

/**
 * job.own-result: stored under a name that two jobs share, one job's address leads to another's
 * file, and that may be another account's. What a file contains is up to the worker (spec §2.6),
 * marks of others beside its own included. It holds others' alone by mistake, if the worker puts
 * the own one into other files. Spec §1.1, §2.7.
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
