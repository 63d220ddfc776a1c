/** What is seen in passing: samples and contradictions, the same in any order. */

import { describe, expect, it } from "vitest";
import { findingsInPassing, mergePassing, passingOf } from "../../../contract/judges/passing.ts";
import type { Finding } from "../../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../../contract/verdict.ts";
import { answer } from "./answers.ts";

const SHAPE = "job.shape";
const good = (samples: number) => kept(SHAPE, "as documented", { evidence: { samples } });
const bad = (sentAtMs: number) =>
  broken(SHAPE, `fault at ${sentAtMs}`, {
    evidence: { samples: 10, faults: 2 },
    exchanges: [answer(200, { path: `/v1/jobs/job_${sentAtMs}`, sentAtMs })],
  });

function findingOf(...findings: readonly Finding[]): Finding | undefined {
  return findingsInPassing(passingOf(findings), "under load")[0];
}

describe("what is seen in passing", () => {
  it("is kept with all its samples", () => {
    expect(findingOf(good(3), good(4))).toMatchObject({
      verdict: "kept",
      evidence: { samples: 7 },
      inPassing: true,
    });
  });

  it("is broken by one contradiction, the earliest first", () => {
    const finding = findingOf(good(30), bad(2_000), bad(1_000));
    expect(finding).toMatchObject({
      verdict: "broken",
      summary: "under load, 4 of 50: fault at 1000",
      evidence: { samples: 50, faults: 4, examples: ["fault at 1000", "fault at 2000"] },
    });
    expect(finding?.evidence.seen).toMatchObject([
      { at: "1970-01-01T00:00:01.000Z", job: "job_1000", answer: "200" },
      { at: "1970-01-01T00:00:02.000Z", job: "job_2000", answer: "200" },
    ]);
  });

  it("is nothing where nothing was seen, or only doubted", () => {
    expect(findingOf(inconclusive(SHAPE, "who knows"), unobserved(SHAPE, "no job"))).toBe(
      undefined,
    );
  });

  it("is of bounded size, and the same in any order and grouping", () => {
    const parts = Array.from({ length: 40 }, (_, n) => passingOf([bad((n * 7) % 40), good(n)]));
    const forth = parts.reduce(mergePassing);
    const back = [...parts].reverse().reduce(mergePassing);
    const [first, ...rest] = parts;
    const grouped = mergePassing(first ?? {}, rest.reduce(mergePassing));
    expect(back).toEqual(forth);
    expect(grouped).toEqual(forth);
    expect(forth[SHAPE]?.kept).toHaveLength(5);
  });
});
