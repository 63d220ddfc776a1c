/** Failed requests against the share that the operator allows. */

import { describe, expect, it } from "vitest";
import { errorsClaim } from "../../../../contract/judges/load/errors.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { covers } from "../../../../tools/robustness/covers.ts";
import { violations } from "./violations.ts";

const NONE = { "5xx": 0, "no answer": 0, "not sent": 0, malformed: 0, dripping: 0 };

type Tally = Parameters<typeof errorsClaim>[0];
interface Change extends Partial<Omit<Tally, "errors">> {
  errors?: number;
  byKind?: Tally["errors"];
  stallMs?: number;
}

function claimOf(change: Change, share: number | null, without: string) {
  const { errors = 0, byKind = { ...NONE, "5xx": errors }, stallMs = 5, ...rest } = change;
  const seen = { requests: 500, failed: violations(errors), idleCloses: 0, slow: 0 };
  return errorsClaim({ ...seen, ...rest, errors: byKind }, stallMs, share, without, violations(0));
}

const CASES = [
  { title: "no failure", given: {}, share: null, verdict: "kept" },
  { title: "one 5xx where none is allowed", given: { errors: 1 }, share: null, verdict: "broken" },
  { title: "as many as are allowed", given: { errors: 5 }, share: 0.01, verdict: "kept" },
  { title: "more than are allowed", given: { errors: 6 }, share: 0.01, verdict: "broken" },
  {
    title: "so few that chance may have it",
    given: { errors: 2, requests: 100 },
    share: 0.01,
    verdict: "inconclusive",
  },
  { title: "nothing sent", given: { requests: 0 }, share: null, verdict: "unobserved" },
  {
    title: "one reset that the closing of an idle connection explains",
    given: { errors: 1, idleCloses: 1 },
    share: null,
    verdict: "inconclusive",
  },
  {
    title: "resets of connections that were closed together while idle",
    given: { errors: 3, idleCloses: 3, idleMoments: 1 },
    share: null,
    verdict: "inconclusive",
  },
  {
    title: "more resets at once than idle connections explain",
    given: { errors: 30, idleCloses: 30, idleMoments: 1 },
    share: null,
    verdict: "broken",
  },
  {
    title: "more resets than idle connections explain",
    given: { errors: 3, idleCloses: 3, idleMoments: 3 },
    share: null,
    verdict: "broken",
  },
  {
    title: covers("requests for which this machine had no descriptors", "37 gate"),
    given: { errors: 4, byKind: { ...NONE, "not sent": 4 } },
    share: null,
    verdict: "inconclusive",
  },
  {
    title: "failures beside requests for which this machine had no descriptors",
    given: { errors: 5, byKind: { ...NONE, "5xx": 1, "not sent": 4 } },
    share: null,
    verdict: "broken",
  },
  {
    title: "a dripping body while this machine stood still",
    given: { errors: 4, slow: 4, stallMs: 400 },
    share: null,
    verdict: "inconclusive",
  },
  {
    title: "a dripping body while this machine ran",
    given: { errors: 4, slow: 4, stallMs: 40 },
    share: null,
    verdict: "broken",
  },
  {
    title: "a 5xx beside what a machine that stood still explains",
    given: { errors: 5, slow: 4, stallMs: 400 },
    share: null,
    verdict: "broken",
  },
] as const;

describe("load.errors", () => {
  it.each(CASES)("$title: $verdict", ({ given, share, verdict }) => {
    expect(decide(claimOf(given, share, "nothing was sent")).verdict).toBe(verdict);
  });

  it("tells kinds and shares", () => {
    const { summary } = decide(claimOf({ errors: 5 }, null, ""));
    expect(summary).toBe("5 of 500 requests failed (1 %; objective 0 %): 5 5xx");
  });
});
