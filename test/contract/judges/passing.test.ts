/** What is seen in passing: samples and contradictions, the same in any order. */

import { describe, expect, it } from "vitest";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import type { JobReading } from "../../../contract/judges/job/reading.ts";
import { readHistories } from "../../../contract/judges/job/reading.ts";
import {
  findingsInPassing,
  mergePassing,
  missedFirst,
  passingOf,
  seenOfJobs,
} from "../../../contract/judges/passing.ts";
import type { Finding } from "../../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../../contract/verdict.ts";
import { answer } from "./answers.ts";
import { run } from "./job/fixtures.ts";

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

it("jobs that a poll missed are judged together, wherever they were taken in", () => {
  const found = [7_000, 11_000, 20_000].map((at) => ({ state: "completed" as const, at }));
  const jobAt = (index: number): JobHistory => {
    const missedAt = { 0: 9_000, 9: 12_000 }[index];
    const missed =
      missedAt === undefined ? [] : [{ state: "completed" as const, at: missedAt, status: 404 }];
    const polls = [...found, ...missed].sort((a, b) => a.at - b.at);
    const [job] = run({ variant: "A", ends: ["completed"], polls: { completed: polls } });
    if (job === undefined) throw new Error("no job");
    return { ...job, issuedId: `job-${index}` };
  };
  const readings = readHistories(Array.from({ length: 10 }, (_, index) => jobAt(index)));
  const judged = (all: readonly JobReading[]) =>
    mergePassing(seenOfJobs(all.slice(0, 5), []), seenOfJobs(all.slice(5), []))["job.never-lost"];
  expect(judged(readings)).toMatchObject({ faults: 0 });
  expect(judged([...readings].sort(missedFirst))).toMatchObject({ samples: 10, faults: 2 });
});
