/** job.list-own: the list shows a job just accepted, and none of another account's. Spec §4.5. */

import { nextPageQuery } from "../../../answers/next-page.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import { mentions } from "../../../jobs/mentions.ts";
import type { Claim, Seen } from "../../../judging/claim.ts";
import { countedClaim } from "../../../judging/claim.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { jsonBody } from "../../../requests/exchange.ts";
import type { Asked } from "../../expected-status.ts";
import { awaySeen, isAway, isRefusedList } from "./refused-list.ts";

/**
 * A job just accepted, with the lists (and their next pages) asked for afterwards; and, where the
 * last was not answered 200, what another endpoint answered to the same key right after that.
 */
export interface ListedLater extends Pick<Asked, "meanwhile"> {
  id: string;
  lists: readonly Exchange[];
}

export interface ListOwnInput {
  accepted: readonly ListedLater[];
  /** What the other account sees, and the identifiers that it must not see. */
  stranger: { list: Exchange; foreignIds: readonly string[] } | null;
  /** Why one of the two may be missing. */
  without: string;
}

/** Kept takes both: the caller's own list, and another account's. */
export function listOwnClaim({ accepted, stranger, without }: ListOwnInput): Claim {
  const hidden = accepted.filter(({ id, lists }) => !lists.some((list) => isListed(list, id)));
  const doubts = hidden.map((each) => (refused(each) === null ? whyNotListed(each) : null));
  const missing = hidden.filter((_, at) => doubts[at] === null).map(missed);
  const shown = stranger === null ? [] : shownTo(stranger, accepted);
  const [doubt] = doubts.filter((each) => each !== null);
  const isWhole = accepted.length > 0 && stranger !== null && doubt === undefined;
  const status = stranger?.list.status ?? 0;
  const unread = `the other account's list got ${status}`;
  return countedClaim({
    promise: "job.list-own",
    faults: [...shown, ...missing],
    open: isWhole && status !== 200 ? [{ what: unread }] : [],
    good: isWhole && status === 200 ? accepted.length - missing.length : 0,
    of: "jobs",
    kept: "a job just accepted is listed, and not to another account",
    without: doubt ?? without,
    evidence: { foreign: stranger?.foreignIds.length ?? 0 },
  });
}

function missed(job: ListedLater): Seen {
  const { id, lists } = job;
  const away = refused(job);
  if (away !== null) return away;
  const last = lists.findLast(({ status }) => status === 200);
  const unread = last === undefined ? null : unreadable(last);
  const what = unread ?? `job ${id}, just accepted, is not in the list; promised the recent jobs`;
  return { what, exchanges: lists.slice(-2) };
}

/** Where the list is not to be had at all, though the service answers the key elsewhere. */
function refused({ lists, meanwhile }: ListedLater): Seen | null {
  const [first, last] = [lists[0], lists.at(-1)];
  if (first === undefined || last === undefined || meanwhile === undefined) return null;
  const refusals = { first, times: lists.length, meanwhile };
  if (!(lists.every(isRefusedList) && isAway(last, refusals))) return null;
  return awaySeen("the job list", last, refusals);
}

function shownTo(
  { list, foreignIds }: NonNullable<ListOwnInput["stranger"]>,
  accepted: ListOwnInput["accepted"],
): Seen[] {
  const promised = "promised the caller's own only";
  const leaked = foreignIds.filter((id) => isListed(list, id));
  if (leaked.length > 0) {
    const what = `another account's list shows ${leaked.length} jobs of the caller's; ${promised}`;
    return [{ what, exchanges: [list] }];
  }
  const [shared] = listedByBoth(accepted, list);
  const exchanges = [list, ...accepted.flatMap(({ lists }) => lists).slice(-1)];
  const what = `two accounts list job ${shared}; ${promised}`;
  return shared === undefined ? [] : [{ what, exchanges }];
}

/** A job has one account: whoever else it belongs to, it is in a list that it should not be in. */
function listedByBoth(accepted: ListOwnInput["accepted"], other: Exchange): readonly string[] {
  const own = new Set(accepted.flatMap(({ lists }) => lists.flatMap(listedIds)));
  return listedIds(other).filter((id) => own.has(id));
}

/**
 * By the entries' identifiers: a short one may stand in other texts of the list. Where no entries
 * are found, or some without an identifier, anywhere as a whole.
 */
export function isListed(list: Exchange, id: string): boolean {
  const ids = listedIds(list);
  return ids.length > 0 ? ids.includes(id) : mentions(list.body, id);
}

export function listedIds(list: Exchange): readonly string[] {
  if (list.status !== 200) return [];
  return (decodeJobList(jsonBody(list))?.jobs ?? []).map(({ id }) => id);
}

/** What is wrong with a list that is none for anybody, as one that was cut; null: nothing is. */
export function unreadable(list: Exchange): string | null {
  if (jsonBody(list) !== undefined) return null;
  const body = `a body of ${list.body.length} characters that is not JSON`;
  return `the job list got 200 with ${body}; promised the recent jobs`;
}

/** Why a list without the job may still be lawful; null where it may not. */
function whyNotListed({ lists, id }: ListedLater): string | null {
  const last = lists.filter(({ status }) => status === 200).at(-1);
  if (last === undefined) return "no request for the job list was answered 200";
  if (unreadable(last) !== null) return null;
  const body = jsonBody(last);
  const list = decodeJobList(body);
  if (list === null) return "the response contains no list of jobs";
  if (mentions(last.body, id)) return "the response names it, but not among its entries";
  const isFollowed = list.looksPaginated || nextPageQuery(body, last.headers.link) !== null;
  return isFollowed ? "the job may be on a page that was not read" : null;
}
