/** Requests beyond a key's limit, under load and after it. Spec §7, §8. */

import { describe, expect, it } from "vitest";
import type { OverloadSeen } from "../../../contract/judges/steps.ts";
import { judgeOverload } from "../../../contract/judging/answers-after.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { promisesWith } from "../findings.ts";
import { answer, at } from "../judges/answers.ts";

const many = (count: number, status: number, headers: Exchange["headers"] = {}) =>
  Array.from({ length: count }, (_, n) => answer(status, { headers, ...at(n) }));
const WAIT = { "retry-after": "1" };

const LIMITED: OverloadSeen = {
  key: "broke",
  plan: "free",
  limit: { sustained: 10, burst: 20 },
  isPoor: true,
  within: many(2, 402),
  shots: [...many(18, 200), ...many(32, 429, WAIT)],
  beyond: many(2, 429, WAIT),
};
const RICH = { ...LIMITED, isPoor: false, within: many(2, 400) };

describe("a key that is overloaded", () => {
  it.each([
    ["refused beyond its limit", LIMITED, []],
    [
      "refused beyond two windows",
      { ...LIMITED, shots: [...many(40, 200), ...many(10, 429, WAIT)] },
      [],
    ],
    ["never refused", { ...LIMITED, shots: many(50, 200), beyond: many(2, 402) }, ["rate.limited"]],
    ["refused without a word", { ...LIMITED, shots: many(50, 429) }, ["rate.retry-after-present"]],
    [
      "refused with a word",
      { ...LIMITED, shots: many(50, 429, { "retry-after": "soon" }) },
      ["rate.retry-after-valid"],
    ],
    [
      "served without credits",
      { ...LIMITED, within: many(2, 202) },
      ["submit.insufficient-credits"],
    ],
    ["refused for its body", { ...RICH, beyond: many(2, 400) }, []],
    ["refused otherwise", { ...LIMITED, beyond: many(2, 503) }, ["rate.limited"]],
    [
      "refused otherwise, and fails once within its limit",
      { ...LIMITED, within: [...many(1, 402), ...many(1, 500)], beyond: many(2, 503) },
      ["rate.limited"],
    ],
    [
      "refused otherwise, as it is within its limit",
      { ...LIMITED, within: many(2, 503), beyond: many(2, 503) },
      [],
    ],
  ] as const)("and is %s", (_what, seen, broken) => {
    expect(promisesWith(judgeOverload(seen), "broken")).toEqual(broken);
  });
});
