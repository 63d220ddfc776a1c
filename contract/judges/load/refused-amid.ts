/**
 * Submissions of a load that were refused, though the same key's to the same worker were accepted
 * before and after: what the answer says of the key, the worker or the credits is not so, and that
 * others write as well is no error of the caller's. Spec §4.3, §7.
 */

import { momentsIn } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { AWAY_MS, TIMES_AWAY_MAX } from "../expected-status.ts";
import type { Of } from "./tally-kinds.ts";
import { fields, named, SUM, VIOLATIONS } from "./tally-kinds.ts";
import type { Violations } from "./violations.ts";
import { addViolation, mergeViolations, noViolations } from "./violations.ts";

const OF_ONE_KIND = fields({
  status: { empty: () => 0, merge: Math.max },
  account: { empty: () => "", merge: (a: string, b: string) => (a > b ? a : b) },
  /** How many were sent in each stretch of `AWAY_MS`, by its number. */
  stretches: named(SUM),
  seen: VIOLATIONS,
});

/** By status and account. */
export const REFUSED_AMID = named(OF_ONE_KIND);
export type RefusedAmid = Of<typeof REFUSED_AMID>;

const PAYMENT_REQUIRED = 402;
/** What is said of a body, with 400 or 422, is submit.control-parameters' to judge. */
const REFUSALS: readonly number[] = [401, PAYMENT_REQUIRED, 403, 404, 409];

export function isRefusedAmid({ status }: Exchange): boolean {
  return REFUSALS.includes(status);
}

export function addRefusedAmid(all: RefusedAmid, account: string, exchange: Exchange): void {
  const { status } = exchange;
  const name = `${status} ${account}`;
  const kind = all[name] ?? { ...OF_ONE_KIND.empty(), status, account };
  const stretch = stretchOf(exchange);
  kind.stretches[stretch] = (kind.stretches[stretch] ?? 0) + 1;
  const what = `POST ${exchange.path} was answered ${status} amid others that were accepted`;
  addViolation(kind.seen, { what, exchanges: [exchange] });
  all[name] = kind;
}

/**
 * Those that no accident explains, as they come throughout the load. `hadCredits`: whether that
 * account could pay for any of its jobs all along.
 */
export function refusedThroughout(
  all: RefusedAmid,
  hadCredits: (account: string) => boolean,
): Violations {
  return REFUSALS.map((status) => {
    const told = ofStatus(all, status).filter(
      ({ account }) => status !== PAYMENT_REQUIRED || hadCredits(account),
    );
    const isThroughout = timesAway(stretchesOf(told)) > TIMES_AWAY_MAX;
    return isThroughout ? told.map(({ seen }) => seen).reduce(mergeViolations) : noViolations();
  }).reduce(mergeViolations);
}

/** Of those that got that status, in which stretches of `AWAY_MS` they were sent. */
export function refusedStretches(all: RefusedAmid, status: number): readonly number[] {
  return stretchesOf(ofStatus(all, status));
}

function ofStatus(all: RefusedAmid, status: number) {
  return Object.values(all).filter((each) => each.status === status);
}

function stretchesOf(kinds: readonly Of<typeof OF_ONE_KIND>[]): readonly number[] {
  return kinds.flatMap(({ stretches }) => Object.keys(stretches).map(Number));
}

/** In which stretch of `AWAY_MS` it was sent. */
export function stretchOf({ sentAtMs }: Pick<Exchange, "sentAtMs">): number {
  return Math.floor(sentAtMs / AWAY_MS);
}

/** How often something was away at least, if never for longer than `AWAY_MS`; by such stretches. */
export function timesAway(stretches: readonly number[]): number {
  return momentsIn(stretches, 2);
}
