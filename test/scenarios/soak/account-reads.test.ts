/** What is held against account endpoints that a busy service does not answer. Spec §4.8. */

import { expect, it } from "vitest";
import { judgeAccountReadable } from "../../../contract/judges/account.ts";
import type { Answers } from "../../../scenarios/soak/account-reads.ts";
import { casesOf, withAnswers } from "../../../scenarios/soak/account-reads.ts";
import { answer } from "../../contract/judges/answers.ts";

/** The credits and the account, by their statuses in each look. */
function verdict(looks: readonly (readonly [number, number])[]): string {
  const seen = looks.reduce<Answers>((before, [credits, me]) => {
    const both = [answer(credits, { route: "credits" }), answer(me)];
    return withAnswers(before, both);
  }, []);
  return judgeAccountReadable(casesOf("free-a", seen)).verdict;
}

it.each([
  ["both are served", [[200, 200]], "kept"],
  ["one never is, and the other always", Array(6).fill([500, 200]), "broken"],
  ["one is not for a while", [...Array(5).fill([500, 200]), [200, 200]], "kept"],
  ["one was, and is not in the end", [[200, 200], ...Array(5).fill([500, 200])], "kept"],
  ["one never is, and the other fails, too", [[500, 503], ...Array(5).fill([500, 200])], "kept"],
  ["one is not answered in time once", [[0, 200], ...Array(5).fill([500, 200])], "kept"],
  ["one never is, in few looks", Array(3).fill([500, 200]), "kept"],
  ["neither is: an outage", Array(6).fill([503, 503]), "unobserved"],
] as const)("%s: %#", (_, looks, expected) => {
  expect(verdict(looks)).toBe(expected);
});
