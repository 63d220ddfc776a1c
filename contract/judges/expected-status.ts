/** Judges requests that the specification answers with one certain status. Spec §7. */

import type { Exchange } from "../exchange.ts";
import { isDisturbed } from "../exchange.ts";
import type { Seen } from "../judging/claim.ts";
import { anything, countedClaim } from "../judging/claim.ts";
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
  const why = `that tells nothing of ${expected}`;
  const above = [anything("too little seen", why)];
  const sorted = cases.map((each) => ({
    ...answered(each),
    outcome: statusOutcome(each, (status) => isHeld(status, rule, each), doubtful),
  }));
  const of = (outcome: StatusOutcome) => sorted.filter((each) => each.outcome === outcome);
  const good = of("as promised").length;
  return decide(
    countedClaim({
      promise,
      faults: [...of("contradicts"), ...of("doubtful").map((each) => ({ ...each, above }))].map(
        (each) => ({ ...each, what: `${each.what}; promised ${expected}` }),
      ),
      open: of("no answer"),
      good,
      of: "requests",
      kept: `${good} of ${cases.length} requests answered, each with ${expected}`,
      without: withoutCases,
    }),
  );
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
