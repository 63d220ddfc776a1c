/** Judges requests that the specification answers with one certain status. Spec §7. */

import type { Read, Seen } from "../judging/claim.ts";
import { anything, countsOf } from "../judging/claim.ts";
import { judgeCounted } from "../judging/decide.ts";
import type { PromiseId } from "../promises.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isDisturbed } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";

/** Every answer to a request, as a disturbed one is asked again. */
export interface Asked {
  attempts: readonly Exchange[];
  /**
   * Where each answer was 5xx, or a key was refused: what another endpoint answered right after
   * that, to the same key where it was refused.
   */
  meanwhile?: Exchange;
}

export interface StatusCase extends Asked {
  /** What was sent, in a few words: "a body that is an array". */
  what: string;
  /** Further statuses that keep the promise in this case, as the specification leaves it open. */
  lawful?: readonly number[];
}

interface StatusRule {
  expected: number;
  /** Statuses that speak of something else than the promise, such as 402 for a spent account. */
  doubtful?: readonly number[];
  /** Why there may be nothing to judge; left out where the step tells. */
  without?: string;
}

/** Status for a missing, invalid or revoked key. Spec §5.2. */
export const UNAUTHORIZED = 401;
/** Statuses about the key, the credits or the worker: the body was not what decided. */
const NOT_ABOUT_THE_BODY = [401, 402, 404];

/** Spec §4.2 to §4.4, §5.2, §7. */
const STATUS_RULES = {
  "auth.missing-key": { expected: UNAUTHORIZED, without: "no request was sent without a key" },
  "auth.invalid-key": {
    expected: UNAUTHORIZED,
    without: "no request was sent with an unknown key",
  },
  "auth.revoked-key": { expected: UNAUTHORIZED, without: "the target names no revoked key" },
  "workers.unknown": {
    expected: 404,
    doubtful: [401, 402],
    without: "no unknown worker was requested",
  },
  "job.unknown": { expected: 404, doubtful: [401], without: "no unknown job was requested" },
  "submit.malformed": { expected: 400, doubtful: NOT_ABOUT_THE_BODY },
  "submit.missing-field": { expected: 400, doubtful: NOT_ABOUT_THE_BODY },
  "submit.schema-violation": { expected: 422, doubtful: NOT_ABOUT_THE_BODY },
  // A key or a worker that the service does not know says nothing about credits.
  "submit.insufficient-credits": { expected: 402, doubtful: [401, 404] },
} as const satisfies Partial<Record<PromiseId, StatusRule>>;

export type StatusPromise = keyof typeof STATUS_RULES;

/**
 * Ours: an unexpected error may be asked again (Spec §7); one that answers this many attempts, for
 * as long as no accident lasts, while another endpoint answers as it should, is the answer.
 */
export const PERSISTENT_ATTEMPTS = 3;

/** Ours: an instance is briefly without a store, of keys for one, for less than that. */
export const OUTAGE_MS_MAX = 3_000;

/** Ours: an endpoint, or all that writes, that is away for less may be an accident. */
export const AWAY_MS = 10_000;

/** Ours: an endpoint, or a store of keys or workers, may be away for a moment, and again. */
export const TIMES_AWAY_MAX = 2;

export type StatusOutcome = "as promised" | "contradicts" | "doubtful" | "no answer";

/** What the answers to one request say; `held` are the statuses that keep the promise. */
export function statusOutcome(
  asked: Asked,
  held: (status: number) => boolean,
  doubtful: readonly number[],
): StatusOutcome {
  const last = asked.attempts.at(-1);
  if (last === undefined || last.status === 429) return "no answer";
  if (held(last.status)) return "as promised";
  // Who is refused everywhere had the key revoked meanwhile, which says nothing of this.
  const isOfTheKey = last.status === UNAUTHORIZED && asked.meanwhile?.status === UNAUTHORIZED;
  if (isOfTheKey) return "no answer";
  if (doubtful.includes(last.status)) return "doubtful";
  const isFailure = last.status === 0 || last.status >= 500;
  if (isFailure) return isPersistent(asked) ? "contradicts" : "no answer";
  return "contradicts";
}

function isPersistent({ attempts, meanwhile }: Asked): boolean {
  if (meanwhile === undefined || isDisturbed(meanwhile)) return false;
  return attempts.length >= PERSISTENT_ATTEMPTS && attempts.every(hasFailed);
}

/** What a service makes of a request that it can't cope with; silence may be slowness. */
export function hasFailed({ status, error }: Pick<Exchange, "status" | "error">): boolean {
  return status >= 500 || isBrokenOff({ error });
}

function isBrokenOff({ error }: Pick<Exchange, "error">): boolean {
  return error === "reset";
}

/** A contradiction breaks the promise; a doubt about any case withholds the verdict. */
export function judgeStatus(
  promise: StatusPromise,
  cases: readonly StatusCase[],
  reason?: string,
): Finding {
  const rule: StatusRule = STATUS_RULES[promise];
  const { expected, doubtful = [], without = "" } = rule;
  // Something in front of the service may break off what looks odd to it, and no more than that.
  const brokenOff = cases.filter(({ attempts }) => attempts.some(isBrokenOff)).length;
  const isOddity = brokenOff * 2 <= cases.length;
  const other = anything("too little seen", `that says nothing about ${expected}`);
  const counts = countsOf(
    cases.map((each): Read => {
      const seen = answered(each);
      const held = [expected, ...(each.lawful ?? [])];
      const outcome = statusOutcome(each, (status) => held.includes(status), doubtful);
      if (outcome === "as promised") return { says: "good" };
      const isLast = each.attempts.at(-1)?.status === 0;
      if (outcome === "no answer" || (isOddity && isLast)) return { says: "open", ...seen };
      const above = outcome === "doubtful" ? [other] : [];
      return { says: "fault", ...seen, above, what: `${seen.what}; promised ${expected}` };
    }),
  );
  return judgeCounted({
    promise,
    ...counts,
    of: "requests",
    kept: `${counts.good} of ${cases.length} requests answered ${expected}`,
    without: reason ?? without,
  });
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
    what: `${what} got ${status === 0 ? "no response" : status}`,
    exchanges: last === undefined ? [] : [last],
  };
}
