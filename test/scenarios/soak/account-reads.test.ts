/** What is held against account endpoints that a busy service does not answer. Spec §4.8. */

import { expect, it } from "vitest";
import { judgeAccountReadable } from "../../../contract/judges/account.ts";
import type { Answers } from "../../../scenarios/soak/account-reads.ts";
import { casesOf, withAnswers } from "../../../scenarios/soak/account-reads.ts";
import { answer } from "../../contract/judges/answers.ts";

type Looks = readonly (readonly [number, number])[];

/** The credits and the account, by their statuses in each look. */
function answersOf(looks: Looks): Answers {
  return looks.reduce<Answers>((before, [credits, me], look) => {
    const sentAtMs = look * 4_000;
    const both = [answer(credits, { route: "credits", sentAtMs }), answer(me, { sentAtMs })];
    return withAnswers(before, both);
  }, []);
}

/** `others`: of as many keys more, which looked alike. */
function verdict(looks: Looks, others = 0): string {
  const seen = answersOf(looks);
  const all = Array.from({ length: 1 + others }, () => seen);
  return judgeAccountReadable(casesOf("free-a", seen, all)).verdict;
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

it.each([
  ["4 looks in 100 of each of four keys", 100, "kept"],
  ["4 looks in 49 of each of them", 49, "broken"],
] as const)("one fails in %s, the other never", (_, count, expected) => {
  const looks = Array.from({ length: count }, (_each, at) => {
    return [at % 12 === 0 && at < 48 ? 500 : 200, 200] as const;
  });
  expect(verdict(looks, 3)).toBe(expected);
});
