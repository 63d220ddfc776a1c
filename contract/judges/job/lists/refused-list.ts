/**
 * A job list that a key is never given, while the same key is answered elsewhere: what is answered
 * each time is the answer, and no outage. Spec §4.5, §7.
 */

import type { Seen } from "../../../judging/claim.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { AWAY_MS, PERSISTENT_ATTEMPTS } from "../../expected-status.ts";

/** Of a list that was asked for again and again, and refused each time. */
export interface ListRefusals {
  first: Exchange;
  times: number;
  /** What another endpoint answered to the same key right after the last of them. */
  meanwhile: Exchange;
}

/** A list that was asked for until it showed enough, or the time was over. */
export interface AskedList {
  /** The last one: earlier ones are what a late index showed first. */
  list: Exchange;
  /** Left out: not each request for it was refused, or nobody looked. */
  refusals?: ListRefusals;
}

/** Statuses about the request or its key: which parameters a list needs is not shown. Spec §4.5. */
const NOT_OF_THE_LIST = [400, 401, 402, 422, 429];

export function isRefusedList({ status }: Exchange): boolean {
  return status >= 400 && !NOT_OF_THE_LIST.includes(status);
}

/** Whether it is not to be had at all. `last`: the last time. */
export function isAway(last: Exchange, { first, times, meanwhile }: ListRefusals): boolean {
  if (meanwhile.status !== 200 || times < PERSISTENT_ATTEMPTS) return false;
  return last.sentAtMs - first.sentAtMs >= AWAY_MS;
}

/** `whose`: "the job list", say. */
export function awaySeen(whose: string, last: Exchange, { times, meanwhile }: ListRefusals): Seen {
  const what =
    `${whose} got ${last.status} each of ${times} times, while another endpoint answered; ` +
    "promised the recent jobs";
  return { what, exchanges: [last, meanwhile] };
}
