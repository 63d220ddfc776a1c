/** Judges the account endpoints: readable, as JSON of any shape. Spec §4.8. */

import type { Exchange } from "../exchange.ts";
import { isDisturbed, jsonBody } from "../exchange.ts";
import type { RouteName } from "../routes.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { statusOutcome } from "./expected-status.ts";

export function judgeAccountReadable(cases: readonly StatusCase[]): Finding {
  const promise = "account.readable";
  if (cases.length === 0) return unobserved(promise, "the target names no active key");
  const sorted = cases.map((each) => {
    const { what, attempts } = each;
    const last = attempts.at(-1);
    const outcome = statusOutcome(each, (status) => status === 200, []);
    const isJson = last !== undefined && jsonBody(last) !== undefined;
    return { what, last, outcome, isJson };
  });
  const wrong = sorted.filter(
    ({ outcome, isJson }) => outcome === "contradicts" || (outcome === "as promised" && !isJson),
  );
  if (wrong.length > 0) {
    const told = wrong.map(({ what, last, outcome }) =>
      outcome === "contradicts" ? `${what} got ${last?.status}` : `the body of ${what} is no JSON`,
    );
    return broken(promise, `${told.join(", ")}; promised 200 with JSON`, {
      exchanges: wrong.flatMap(({ last }) => last ?? []),
    });
  }
  const silent = sorted.filter(({ outcome }) => outcome !== "as promised");
  if (silent.length > 0) {
    return inconclusive(promise, `no answer from ${silent.map(({ what }) => what).join(", ")}`, {
      exchanges: silent.flatMap(({ last }) => last ?? []),
    });
  }
  return kept(promise, `all ${cases.length} account endpoints answer 200 with JSON`, {
    evidence: { samples: cases.length },
    strength: looksAt(cases.length, "requests", { of: "keys", count: keysOf(cases) }),
  });
}

function keysOf(cases: readonly StatusCase[]): number {
  return new Set(cases.flatMap(({ attempts }) => attempts.map(({ key }) => key))).size;
}

const ACCOUNT_ROUTES: readonly RouteName[] = ["me", "credits", "deployments"];
/** Ours: an answer that comes so often, and never another one, is no accident. */
const ALIKE_MIN = 3;

/**
 * What the keys whose limits were measured were answered; nothing where all were served. How a
 * limit refuses is judged elsewhere.
 */
export function judgeAccountOfKeys(
  shots: readonly { key: string; exchanges: readonly Exchange[] }[],
): readonly Finding[] {
  const wrong = shots.flatMap(({ key, exchanges }) =>
    ACCOUNT_ROUTES.flatMap((route) => {
      const answered = exchanges.filter((each) => each.route === route && !isDisturbed(each));
      const isServed = answered.some(({ status }) => status === 200);
      return isServed || answered.length < ALIKE_MIN ? [] : [{ key, route, answered }];
    }),
  );
  const [first] = wrong;
  if (first === undefined) return [];
  const { key, route, answered } = first;
  const summary = `${route} got ${answered[0]?.status} with key ${key}; promised 200 with JSON`;
  const exchanges = wrong.flatMap((each) => each.answered.slice(0, 1));
  return [broken("account.readable", summary, { exchanges })];
}
