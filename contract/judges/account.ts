/** Judges the account endpoints: readable, as JSON of any shape. Spec §4.8. */

import { jsonBody } from "../exchange.ts";
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
  return kept(promise, `all ${cases.length} account endpoints answer 200 with JSON`);
}
