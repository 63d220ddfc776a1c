/** job.list-limit: at most 100 jobs are listed, the latest; their order is open. Spec §4.5. */

import { areWholeList } from "../../../answers/read-pages.ts";
import { isObject } from "../../../decode/decoded.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import type { Claim, Read } from "../../../judging/claim.ts";
import { countedClaim, countsOf } from "../../../judging/claim.ts";
import { judgeFaultsAlone } from "../../../judging/decide.ts";
import { LISTED_JOBS_MAX } from "../../../plans.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { jsonBody } from "../../../requests/exchange.ts";
import type { Finding } from "../../../verdict.ts";
import { isSameJson } from "../same-json.ts";
import { listedIds, unreadable } from "./list-own.ts";
import type { AskedList } from "./refused-list.ts";
import { awaySeen, isAway } from "./refused-list.ts";

/** A job of the caller's, by the window in which the service accepted it. */
export interface OwnJob {
  id: string;
  sentAtMs: number;
  receivedAtMs: number;
  /** When it was seen that nothing happens to the job any more; null when it was not. */
  settledAtMs: number | null;
}

export function listLimitClaim(
  { list, refusals }: AskedList,
  own: readonly OwnJob[],
  without: string,
): Claim {
  const isAlwaysAway = refusals !== undefined && isAway(list, refusals);
  const read: Read | null = isAlwaysAway
    ? { says: "fault", ...awaySeen("the job list", list, refusals) }
    : readList(list, own);
  const kept = `${listedIds(list).length} jobs are listed, the latest ones`;
  return { ...listsClaim(read === null ? [] : [read], without), kept };
}

/** Said of a list that lacks nothing but jobs of the last half minute. */
export const LAGS = "the job list lags behind the latest jobs by more than 5 s";

/**
 * By each list alone: its length, and that no job takes two of its places. None where nothing is
 * wrong: a short list shows no limit.
 */
export function judgeListLength(lists: readonly Exchange[]): readonly Finding[] {
  const faults = lists.flatMap((list) => wrongAlone(list) ?? []);
  const good = lists.length - faults.length;
  return judgeFaultsAlone({ promise: "job.list-limit", faults, good, of: "lists" });
}

function listsClaim(reads: readonly Read[], without: string): Claim {
  return countedClaim({
    promise: "job.list-limit",
    ...countsOf(reads),
    of: "lists",
    without,
  });
}

/** null where fewer jobs are known, of one that has ended on, than would show a limit. */
function readList(list: Exchange, own: readonly OwnJob[]): Read | null {
  const exchanges = [list];
  const open = (what: string): Read => ({ says: "open", what, exchanges });
  if (list.status !== 200) return open(`the job list got ${list.status}`);
  const unread = unreadable(list);
  if (unread !== null) return { says: "fault", what: unread, exchanges };
  if (decodeJobList(jsonBody(list)) === null) {
    return open("the response contains no list of jobs");
  }
  const listed = listedIds(list);
  const what = wrongAlone(list)?.what ?? tooOld(listed, list, own);
  if (what !== null) return { says: "fault", what, exchanges };
  if (leftOut(list, own) !== null) return open(LAGS);
  const isFew = own.length <= LISTED_JOBS_MAX;
  if (isFew && listed.length < LISTED_JOBS_MAX) return null;
  if (isFew || displaced(own, list.sentAtMs).length > 0) return { says: "good" };
  if (own.some(({ settledAtMs }) => settledAtMs !== null)) return null;
  return open("no end of a job of this run is known");
}

function wrongAlone(list: Exchange) {
  const listed = listedIds(list).length;
  const repeated = listed > LISTED_JOBS_MAX ? null : repeatedJob(list);
  if (listed <= LISTED_JOBS_MAX && repeated === null) return null;
  const what =
    repeated === null
      ? `${listed} jobs are listed; promised at most ${LISTED_JOBS_MAX}`
      : `job ${repeated} takes two places of a list; promised the latest ${LISTED_JOBS_MAX} jobs`;
  return { says: "fault", what, exchanges: [list] } as const;
}

/** One whose entry comes twice as it is: entries that differ may be of its runs. */
function repeatedJob(list: Exchange): string | null {
  const entries = list.status === 200 ? (decodeJobList(jsonBody(list))?.jobs ?? []) : [];
  const seen = new Map<string, unknown>();
  for (const { id, entry } of entries.filter((each) => isObject(each.entry))) {
    if (seen.has(id) && isSameJson(seen.get(id), entry)) return id;
    seen.set(id, entry);
  }
  return null;
}

/** What shows that these are not the latest; null where nothing does. */
function tooOld(listed: readonly string[], list: Exchange, own: readonly OwnJob[]): string | null {
  const latest = `promised the latest ${LISTED_JOBS_MAX}`;
  const stale = staleJob(listed, own, list.sentAtMs);
  if (stale !== null) {
    return `job ${stale.id} is listed, and ${stale.newer} newer jobs are known; ${latest}`;
  }
  const left = keptBack(list, own);
  if (left === null) return null;
  return `${listed.length} jobs are listed, but not job ${left}, which is newer; ${latest}`;
}

/**
 * A listed own job after whose end too many newer ones were accepted before the list was asked for:
 * so it is not among the latest, whether they are counted by submission, by end or by last change.
 */
export function staleJob(
  listed: readonly string[],
  own: readonly OwnJob[],
  askedAtMs: number,
): { id: string; newer: number } | null {
  return displaced(own, askedAtMs).find(({ id }) => listed.includes(id)) ?? null;
}

/** Ours: a list that lags behind by more with one job is asked again. */
export const LIST_LAG_MS = 5_000;
/** Ours: no list lags behind by more. The specification names no time. */
export const LIST_LAG_MS_MAX = 30_000;

/**
 * A job that a whole list leaves out, though it lists one that had ended before that job was
 * submitted, or none at all: it is later than that one, however jobs are counted. null for none.
 */
export function leftOut(
  list: Exchange,
  own: readonly OwnJob[],
  lagMs = LIST_LAG_MS,
): string | null {
  return jobsLeftOut(list, own, lagMs)[0]?.id ?? null;
}

/** The same, of those that no lag of the list explains. */
export function keptBack(list: Exchange, own: readonly OwnJob[]): string | null {
  const listed = new Set(listedIds(list));
  const newest = Math.max(...own.flatMap(({ id, sentAtMs }) => (listed.has(id) ? sentAtMs : [])));
  const missing = jobsLeftOut(list, own, LIST_LAG_MS).find(({ receivedAtMs }) => {
    return newest > receivedAtMs || list.sentAtMs - receivedAtMs > LIST_LAG_MS_MAX;
  });
  return missing?.id ?? null;
}

function jobsLeftOut(list: Exchange, own: readonly OwnJob[], lagMs: number): readonly OwnJob[] {
  const decoded = list.status === 200 ? decodeJobList(jsonBody(list)) : null;
  if (decoded === null || !areWholeList([list], decoded.looksPaginated)) return [];
  const listed = new Set(decoded.jobs.map(({ id }) => id));
  const known = distinctJobs(own);
  const ends = known.flatMap(({ id, settledAtMs }) => (listed.has(id) ? (settledAtMs ?? []) : []));
  const endedMs = listed.size === 0 ? Number.NEGATIVE_INFINITY : Math.min(...ends);
  return known.filter(({ id, sentAtMs, receivedAtMs }) => {
    return !listed.has(id) && sentAtMs > endedMs && list.sentAtMs - receivedAtMs > lagMs;
  });
}

/** Those that can't be among the latest. */
function displaced(own: readonly OwnJob[], askedAtMs: number) {
  const known = distinctJobs(own.filter(({ receivedAtMs }) => receivedAtMs < askedAtMs));
  return known.flatMap(({ id, settledAtMs }) => {
    if (settledAtMs === null) return [];
    const newer = known.filter(({ sentAtMs }) => sentAtMs > settledAtMs).length;
    return newer >= LISTED_JOBS_MAX ? [{ id, newer }] : [];
  });
}

/** An identifier issued twice counts once, as of its last submission: it may be that job's. */
function distinctJobs(own: readonly OwnJob[]): readonly OwnJob[] {
  const last = new Map<string, OwnJob>();
  for (const job of own) {
    const known = last.get(job.id);
    if (known === undefined || known.sentAtMs < job.sentAtMs) last.set(job.id, job);
  }
  return [...last.values()];
}
