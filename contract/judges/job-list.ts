/** Judges the list of recent jobs, whose shape and order are open. Spec §4.5. */

import { decodeJobList } from "../decode/job-list.ts";
import type { Exchange } from "../exchange.ts";
import { jsonBody } from "../exchange.ts";
import { mentions } from "../mentions.ts";
import { nextPageQuery } from "../next-page.ts";
import { LISTED_JOBS_MAX } from "../plans.ts";
import { areWholeList } from "../read-pages.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";

/** A job of the caller's, by the window in which the service accepted it. */
export interface OwnJob {
  id: string;
  sentAtMs: number;
  receivedAtMs: number;
  /** When it was seen that nothing happens to the job any more; null when it was not. */
  settledAtMs: number | null;
}

/** Judges the last of the lists: the earlier ones are what a late index showed first. */
export function judgeListLimit(
  lists: readonly Exchange[],
  own: readonly OwnJob[],
  without: string,
): Finding {
  const promise = "job.list-limit";
  const list = lists.at(-1);
  if (list === undefined) return unobserved(promise, without);
  const exchanges = [list];
  if (list.status !== 200) {
    return inconclusive(promise, `the job list got ${list.status}`, { exchanges });
  }
  const listed = decodeJobList(jsonBody(list))?.jobs ?? null;
  if (listed === null) {
    return inconclusive(promise, "no list of jobs is found in the answer", { exchanges });
  }
  const [long] = judgeListLength(lists.slice(-1));
  if (long !== undefined) return long;
  const stale = staleJob(
    listed.map(({ id }) => id),
    own,
    list.sentAtMs,
  );
  if (stale !== null) {
    const summary =
      `job ${stale.id} is listed, and ${stale.newer} newer jobs are known; ` +
      `promised the latest ${LISTED_JOBS_MAX}`;
    return broken(promise, summary, { evidence: { listed: listed.length }, exchanges });
  }
  const left = leftOut(list, own);
  if (left !== null) {
    const summary =
      `${listed.length} jobs are listed, and job ${left} is not, which is later; ` +
      `promised the latest ${LISTED_JOBS_MAX}`;
    return broken(promise, summary, { evidence: { listed: listed.length }, exchanges });
  }
  if (own.length <= LISTED_JOBS_MAX && listed.length < LISTED_JOBS_MAX) {
    return unobserved(promise, without);
  }
  if (own.length > LISTED_JOBS_MAX && displaced(own, list.sentAtMs).length === 0) {
    const reason = `no job is known that ${LISTED_JOBS_MAX} others came after for sure`;
    return inconclusive(promise, reason, { evidence: { listed: listed.length }, exchanges });
  }
  return kept(promise, `${listed.length} jobs are listed, none that newer ones should displace`, {
    evidence: { listed: listed.length, known: own.length },
    strength: looksAt(1, "lists"),
  });
}

/** Whether one of the lists is too long; nothing where none is. */
export function judgeListLength(lists: readonly Exchange[]): readonly Finding[] {
  const long = lists
    .filter(({ status }) => status === 200)
    .map((list) => ({ list, listed: decodeJobList(jsonBody(list))?.jobs.length ?? 0 }))
    .find(({ listed }) => listed > LISTED_JOBS_MAX);
  if (long === undefined) return [];
  const { list, listed } = long;
  const summary = `${listed} jobs are listed; promised at most ${LISTED_JOBS_MAX}`;
  return [broken("job.list-limit", summary, { evidence: { listed }, exchanges: [list] })];
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

/** Ours: no list lags behind by more with one job. */
export const LIST_LAG_MS = 5_000;

/**
 * A job that a whole list leaves out, though it lists one that had ended before that job was
 * submitted, or none at all: it is later than that one, however jobs are counted. null for none.
 */
export function leftOut(
  list: Exchange,
  own: readonly OwnJob[],
  lagMs = LIST_LAG_MS,
): string | null {
  const decoded = list.status === 200 ? decodeJobList(jsonBody(list)) : null;
  if (decoded === null || !areWholeList([list], decoded.looksPaginated)) return null;
  const listed = new Set(decoded.jobs.map(({ id }) => id));
  const known = distinctJobs(own);
  const ends = known.flatMap(({ id, settledAtMs }) => (listed.has(id) ? (settledAtMs ?? []) : []));
  const endedMs = listed.size === 0 ? Number.NEGATIVE_INFINITY : Math.min(...ends);
  const missing = known.find(({ id, sentAtMs, receivedAtMs }) => {
    return !listed.has(id) && sentAtMs > endedMs && list.sentAtMs - receivedAtMs > lagMs;
  });
  return missing?.id ?? null;
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

export interface ListOwnInput {
  /** Jobs just accepted, each with the lists (and their next pages) asked for afterwards. */
  accepted: readonly { id: string; lists: readonly Exchange[] }[];
  /** What the other account sees, and the identifiers that it must not see. */
  stranger: { list: Exchange; foreignIds: readonly string[] } | null;
  /** Why one of the two may be missing. */
  without: string;
}

export function judgeListOwn(input: ListOwnInput): Finding {
  const promise = "job.list-own";
  const { accepted, stranger } = input;
  const leaked = stranger?.foreignIds.filter((id) => isListed(stranger.list, id)) ?? [];
  if (stranger && leaked.length > 0) {
    const summary = `another account's list shows ${leaked.length} jobs of the caller's`;
    return broken(promise, `${summary}; promised the caller's own only`, {
      evidence: { leaked: leaked.length },
      exchanges: [stranger.list],
    });
  }
  const shared = stranger === null ? [] : listedByBoth(accepted, stranger.list);
  if (stranger && shared.length > 0) {
    const summary = `job ${shared[0]} is listed to two accounts; promised the caller's own only`;
    const exchanges = [stranger.list, ...accepted.flatMap(({ lists }) => lists).slice(-1)];
    return broken(promise, summary, { evidence: { shared: shared.length }, exchanges });
  }
  const hidden = accepted.filter(({ id, lists }) => !lists.some((list) => isListed(list, id)));
  const missing = hidden.find(({ id, lists }) => whyNotListed(lists, id) === null);
  if (missing !== undefined) {
    const { id, lists } = missing;
    const summary = `job ${id}, just accepted, is not in the list; promised the recent jobs`;
    const exchanges = lists.slice(-2);
    return broken(promise, summary, { evidence: { looks: lists.length }, exchanges });
  }
  const [doubt] = hidden.flatMap(({ id, lists }) => whyNotListed(lists, id) ?? []);
  if (doubt !== undefined) return unobserved(promise, doubt);
  if (accepted.length === 0 || stranger === null) return unobserved(promise, input.without);
  if (stranger.list.status !== 200) {
    return inconclusive(promise, `the other account's list got ${stranger.list.status}`);
  }
  return kept(promise, "a job just accepted is listed, and not to another account", {
    evidence: { samples: accepted.length, foreign: stranger.foreignIds.length },
  });
}

/** A job has one account: whoever else it belongs to, it is in a list that it should not be in. */
function listedByBoth(accepted: ListOwnInput["accepted"], other: Exchange): readonly string[] {
  const own = new Set(accepted.flatMap(({ lists }) => lists.flatMap(idsIn)));
  return idsIn(other).filter((id) => own.has(id));
}

/**
 * By the entries' identifiers: a short one may stand in other texts of the list. Where no entries
 * are found, or some without an identifier, anywhere as a whole.
 */
export function isListed(list: Exchange, id: string): boolean {
  const ids = idsIn(list);
  return ids.length > 0 ? ids.includes(id) : mentions(list.body, id);
}

function idsIn(list: Exchange): readonly string[] {
  if (list.status !== 200) return [];
  return (decodeJobList(jsonBody(list))?.jobs ?? []).map(({ id }) => id);
}

/** Why a list without the job may still be lawful; null where it may not. */
function whyNotListed(lists: readonly Exchange[], id: string): string | null {
  const last = lists.filter(({ status }) => status === 200).at(-1);
  if (last === undefined) return "the job list was never answered with 200";
  const body = jsonBody(last);
  const list = decodeJobList(body);
  if (list === null) return "no list of jobs is found in the answer";
  if (mentions(last.body, id)) return "the list names it, and not where its entries are found";
  const isFollowed = list.looksPaginated || nextPageQuery(body, last.headers.link) !== null;
  return isFollowed ? "the job may be on a page that was not looked at" : null;
}
