/** What a submission leaves behind that was answered 429. */

import { describe, expect, it } from "vitest";
import type { RejectedRound } from "../../../../contract/judges/rate/rejected-not-run.ts";
import { rejectedNotRunClaim } from "../../../../contract/judges/rate/rejected-not-run.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { exchangeAt } from "./simulated-trial.ts";

describe("rate.rejected-not-run", () => {
  const refused: Exchange = exchangeAt(0, 429);
  const clean: RejectedRound = {
    submissions: [refused, refused],
    listIsWitness: true,
    unexplained: [],
    marked: [],
  };
  const cases: readonly [string, RejectedRound[], string][] = [
    ["no job left behind keeps it", [clean], "kept"],
    ["a job with a refused submission's mark breaks it", [{ ...clean, marked: ["j"] }], "broken"],
    [
      "unexplained jobs in both rounds break it",
      [
        { ...clean, unexplained: ["a"] },
        { ...clean, unexplained: ["b"] },
      ],
      "broken",
    ],
    [
      "unexplained jobs in both rounds, and in the quiet after one, may be another caller's",
      [
        { ...clean, unexplained: ["a"], strangers: [] },
        { ...clean, unexplained: ["b"], strangers: ["c"] },
      ],
      "inconclusive",
    ],
    [
      "an unexplained job in one round only may be another caller's",
      [{ ...clean, unexplained: ["a"] }, clean],
      "inconclusive",
    ],
    [
      "a round in which nothing was refused says nothing",
      [{ ...clean, submissions: [exchangeAt(0, 202)], unexplained: ["a"] }, clean],
      "kept",
    ],
    ["a blind list proves nothing", [{ ...clean, listIsWitness: false }], "unobserved"],
    ["no 429 proves nothing", [{ ...clean, submissions: [exchangeAt(0, 202)] }], "inconclusive"],
    ["no round is unobserved", [], "unobserved"],
  ];
  for (const [name, rounds, expected] of cases) {
    it(name, () => {
      expect(decide(rejectedNotRunClaim({ rounds, reason: "no means" })).verdict).toBe(expected);
    });
  }

  it("counts what was refused while the list was a witness", () => {
    const blind = { ...clean, listIsWitness: false };
    const finding = decide(rejectedNotRunClaim({ rounds: [clean, blind], reason: "no means" }));
    expect(finding.summary).toBe("none of 2 submissions answered 429 created a job");
    expect(finding.strength?.looks).toEqual([{ of: "submissions", count: 2 }]);
  });
});
