/** What is held against account endpoints that a busy service does not answer. Spec §4.8. */

import { expect, it } from "vitest";
import { judgeAccountReadable } from "../../../contract/judges/account.ts";
import type { Answers } from "../../../scenarios/soak/account-reads.ts";
import { casesOf, withAnswers } from "../../../scenarios/soak/account-reads.ts";
import { answer } from "../../contract/judges/answers.ts";

/** The credits and the account, by their statuses in each look. */
function verdict(looks: readonly (readonly [number, number])[]): string {
  const seen = looks.reduce<Answers>((before, [credits, me], look) => {
    const sentAtMs = look * 4_000;
    const both = [answer(credits, { route: "credits", sentAtMs }), answer(me, { sentAtMs })];
    return withAnswers(before, both);
  }, []);
  return judgeAccountReadable(casesOf("free-a", seen)).verdict;
}

/** For 8 s in each half minute, the account being served. */
const AWAY: [number, number][] = [500, 500, 500, 200, 200, 200, 200].map((each) => [each, 200]);
const ONCE: [number, number][] = [500, 200, 200, 200, 200, 200, 200].map((each) => [each, 200]);

it.each([
  ["both are served", [[200, 200]], "kept"],
  ["one never is, and the other always", Array(6).fill([500, 200]), "broken"],
  ["one is not for a while", [...Array(5).fill([500, 200]), [200, 200]], "kept"],
  ["one was, and is not in the end", [[200, 200], ...Array(5).fill([500, 200])], "kept"],
  ["one never is, and the other fails, too", [[500, 503], ...Array(5).fill([500, 200])], "kept"],
  ["one is not answered in time once", [[0, 200], ...Array(5).fill([500, 200])], "kept"],
  ["one never is, in few looks", Array(3).fill([500, 200]), "kept"],
  ["one is away four times", AWAY.concat(AWAY, AWAY, AWAY), "broken"],
  ["one is away twice", AWAY.concat(AWAY), "kept"],
  [
    "one is away four times, the other once",
    [[200, 500], ...AWAY, ...AWAY, ...AWAY, ...AWAY],
    "kept",
  ],
  ["one fails now and then, by chance", [...AWAY, ...ONCE, ...ONCE, ...ONCE, ...ONCE], "kept"],
  ["neither is: an outage", Array(6).fill([503, 503]), "unobserved"],
] as const)("%s: %#", (_, looks, expected) => {
  expect(verdict(looks)).toBe(expected);
});
