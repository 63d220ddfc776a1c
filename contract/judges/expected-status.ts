/** Judges requests that the specification answers with one certain status. Spec §7. */

import type { Exchange } from "../exchange.ts";
import { isDisturbed } from "../exchange.ts";
import type { Read, Seen } from "../judging/claim.ts";
import { anything, countedClaim, countsOf } from "../judging/claim.ts";
import { decide } from "../judging/decide.ts";
import type { PromiseId } from "../promises.ts";
import type { Finding } from "../verdict.ts";

/** Every answer to a request, as a disturbed one is asked again. */
export interface Asked {
  attempts: readonly Exchange[];
  /** Where each answer was 5xx: what another endpoint answered right after them. */
  meanwhile?: Exchange;
}

/** A request and its answers. */
export interface StatusCase extends Asked {
  /** What was sent, in a few words: "a body that is an array". */
  what: string;
  /** Further statuses that keep the promise in this case, as the specification leaves it open. */
  lawful?: readonly number[];
}

export interface StatusRule {
  promise: PromiseId;
  expected: number;
  /** Statuses that speak of something else than the promise, such as 402 for a spent account. */
  doubtful: readonly number[];
  /** Why there may be nothing to judge. */
  withoutCases: string;
}

/**
 * Ours: an unexpected error may be asked again (Spec §7); one that answers this many attempts while
 * another endpoint answers as it should, is no accident and no outage but the answer.
 */
export const PERSISTENT_ATTEMPTS = 3;

export type StatusOutcome = "as promised" | "contradicts" | "doubtful" | "no answer";

/** What the answers to one request say; `held` are the statuses that keep the promise. */
export function statusOutcome(
  asked: Asked,
  held: (status: number) => boolean,
  doubtful: readonly number[],
): StatusOutcome {
  const last = asked.attempts.at(-1);
  if (last === undefined || last.status === 0 || last.status === 429) return "no answer";
  if (held(last.status)) return "as promised";
  if (doubtful.includes(last.status)) return "doubtful";
  if (last.status >= 500) return isPersistent(asked) ? "contradicts" : "no answer";
  return "contradicts";
}

function isPersistent({ attempts, meanwhile }: Asked): boolean {
  if (meanwhile === undefined || isDisturbed(meanwhile)) return false;
  return attempts.length >= PERSISTENT_ATTEMPTS && attempts.every(({ status }) => status >= 500);
}

/** A contradiction breaks the promise; a doubt about any case withholds the verdict. */
export function judgeStatus(rule: StatusRule, cases: readonly StatusCase[]): Finding {
  const { promise, expected, doubtful, withoutCases } = rule;
  const other = anything("too little seen", `that tells nothing of ${expected}`);
  const counts = countsOf(
    cases.map((each): Read => {
      const seen = answered(each);
      const outcome = statusOutcome(each, (status) => isHeld(status, rule, each), doubtful);
      if (outcome === "as promised") return { says: "good" };
      if (outcome === "no answer") return { says: "open", ...seen };
      const above = outcome === "doubtful" ? [other] : [];
      return { says: "fault", ...seen, above, what: `${seen.what}; promised ${expected}` };
    }),
  );
  return decide(
    countedClaim({
      promise,
      ...counts,
      of: "requests",
      kept: `${counts.good} of ${cases.length} requests answered, each with ${expected}`,
      without: withoutCases,
    }),
  );
}

/** Reads an answer that is promised to be 200; `wrong`: what else of it is not as promised. */
export function readOk(each: StatusCase, wrong: (answer: Exchange) => string | null): Read {
  const seen = answered(each);
  const outcome = statusOutcome(each, (status) => status === 200, []);
  const last = each.attempts.at(-1);
  if (last === undefined || outcome === "no answer") return { says: "open", ...seen };
  const what = outcome === "contradicts" ? `${seen.what}; promised 200` : wrong(last);
  return what === null ? { says: "good" } : { says: "fault", ...seen, what };
}

/** What a request was answered at last, as a sample says it. */
export function answered({ what, attempts }: StatusCase): Seen {
  const last = attempts.at(-1);
  const status = last?.status ?? 0;
  return {
    what: `${what} got ${status === 0 ? "no answer" : status}`,
    exchanges: last === undefined ? [] : [last],
  };
}

function isHeld(status: number, { expected }: StatusRule, { lawful = [] }: StatusCase): boolean {
  return status === expected || lawful.includes(status);
}
