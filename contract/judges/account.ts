/** Judges the account endpoints: readable, as JSON of any shape. Spec §4.8. */

import { countsOf } from "../judging/claim.ts";
import { judgeCounted } from "../judging/decide.ts";
import { leastOf, mostOf } from "../numbers/extremes.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isDisturbed, jsonBody } from "../requests/exchange.ts";
import type { RouteName } from "../requests/routes.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { OUTAGE_MS_MAX, readOk, UNAUTHORIZED } from "./expected-status.ts";
import { sinceRevoked } from "./rate/trial.ts";

export function judgeAccountReadable(cases: readonly StatusCase[]): Finding {
  const keys = new Set(cases.flatMap(({ attempts }) => attempts.map(({ key }) => key)));
  return judgeCounted({
    promise: "account.readable",
    ...countsOf(cases.map((each) => readOk(each, (answer) => bodyFault(each, answer)))),
    of: "requests",
    kept: `all ${cases.length} requests to account endpoints got 200 with JSON`,
    without: "the target names no active key",
    quorum: { openShare: 0 },
    spread: [{ of: "keys", count: keys.size }],
  });
}

function bodyFault({ what }: StatusCase, answer: Exchange): string | null {
  if (jsonBody(answer) !== undefined) return null;
  return `the body of ${what} is not JSON; promised JSON`;
}

export const ACCOUNT_ROUTES: readonly RouteName[] = ["me", "credits", "deployments"];
/** Ours: an answer that comes so often, and never another one, is no accident. */
const ALIKE_MIN = 3;

/** What a key was answered whose limits were measured. */
export interface KeyShots {
  key: string;
  exchanges: readonly Exchange[];
  /** Those in which the key kept to its plan. */
  withinPlan: readonly Exchange[];
}

/**
 * What the keys whose limits were measured were answered; nothing where all were served. How a
 * limit refuses is judged elsewhere.
 */
export function judgeAccountOfKeys(shots: readonly KeyShots[]): readonly Finding[] {
  return [...neverServed(shots), ...nowAndThenRefused(shots)];
}

function neverServed(shots: readonly KeyShots[]): readonly Finding[] {
  const wrong = shots.flatMap(({ key, exchanges }) => {
    const isRevoked = sinceRevoked(exchanges);
    const told = exchanges.filter((each) => !isDisturbed(each) && !isRevoked(each));
    return ACCOUNT_ROUTES.flatMap((route) => {
      const answered = told.filter((each) => each.route === route);
      const isServed = answered.some(({ status }) => status === 200);
      return isServed || answered.length < ALIKE_MIN ? [] : [{ key, route, answered }];
    });
  });
  const [first] = wrong;
  if (first === undefined) return [];
  const { key, route, answered } = first;
  const summary = `${route} got ${answered[0]?.status} with key ${key}; promised 200 with JSON`;
  const exchanges = wrong.flatMap((each) => each.answered.slice(0, 1));
  return [broken("account.readable", summary, { exchanges })];
}

/** Keys that are served, before and after, and now and then are said to be none. Spec §5.2. */
function nowAndThenRefused(shots: readonly KeyShots[]): readonly Finding[] {
  const wrong = shots.flatMap(({ exchanges, withinPlan }) => {
    const servedAtMs = mostOf(
      exchanges.filter(({ status }) => status === 200).map(({ sentAtMs }) => sentAtMs),
    );
    return withinPlan.filter(
      ({ status, receivedAtMs }) => status === UNAUTHORIZED && receivedAtMs < servedAtMs,
    );
  });
  const sentMs = wrong.map(({ sentAtMs }) => sentAtMs);
  if (wrong.length < ALIKE_MIN || mostOf(sentMs) - leastOf(sentMs) <= OUTAGE_MS_MAX) return [];
  const count = shots.reduce((sum, { withinPlan }) => sum + withinPlan.length, 0);
  const keys = [...new Set(wrong.map(({ key }) => key))].join(", ");
  const summary =
    `${wrong.length} of ${count} requests within the plan got ${UNAUTHORIZED} with ${keys}, ` +
    "which was served afterwards; promised 200 with JSON";
  const evidence = { requests: count, refused: wrong.length };
  return [broken("account.readable", summary, { evidence, exchanges: wrong })];
}

/** A key of the plan that was refused so often in a row that it seemed revoked. Spec §5.2. */
export interface RefusedKey {
  key: string;
  /** The refusals of the row. */
  first: Exchange;
  last: Exchange;
  /** Served again; null: it never was. */
  again: Exchange | null;
}

/**
 * Who was served again was not revoked: refused for longer than any accident takes, it is a valid
 * key that was said to be none. Else it may have been, and what was refused tells nothing.
 */
export function judgeRefusedKeys(refused: readonly RefusedKey[]): readonly Finding[] {
  const wrong = refused.filter(({ first, last, again }) => {
    return again !== null && last.sentAtMs - first.receivedAtMs > OUTAGE_MS_MAX;
  });
  const [worst] = wrong;
  if (worst !== undefined) {
    const { key, first, last } = worst;
    const seconds = Math.round((last.sentAtMs - first.receivedAtMs) / 1_000);
    const summary =
      `key ${key} got nothing but ${UNAUTHORIZED} for ${seconds} s, and was served afterwards; ` +
      "promised 200 with JSON";
    const exchanges = wrong.flatMap((each) => [each.first, each.again ?? each.last]);
    return [broken("account.readable", summary, { exchanges })];
  }
  const [first] = refused;
  if (first === undefined) return [];
  const why = first.again === null ? "it may have been revoked" : "it was served again soon";
  const reason = `key ${first.key} was refused with ${UNAUTHORIZED} meanwhile: ${why}`;
  return [inconclusive("account.readable", reason, { exchanges: [first.first] })];
}
