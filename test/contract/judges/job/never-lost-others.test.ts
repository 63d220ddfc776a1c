/** Lost jobs by what other polls and other jobs showed meanwhile. */

import { describe, expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import { findingOf } from "../../findings.ts";
import { pollsTo, run, T0 } from "./fixtures.ts";
import { answered, standing, turnOf } from "./polled.ts";

describe("jobs that single polls did not find, though others before and after did", () => {
  const missedAt = (id: string, ms: number, foundAt = 20_000) => {
    const polls = [...pollsTo("completed"), ...answered(404, ms), ...found(foundAt)];
    return { ...turnOf(id, 0, polls), issuedId: id };
  };
  const found = (at: number) => [{ state: "completed" as const, at }];
  it.each([
    [
      "are lost where that came again later",
      [missedAt("a", 9_000, 10_500), missedAt("b", 12_000)],
      "broken",
    ],
    ["may have met one accident on the way", [missedAt("a", 9_000), missedAt("b", 12_000)], "kept"],
    ["are not lost within a second", [missedAt("a", 9_000, 9_400), missedAt("b", 9_900)], "kept"],
    ["are not lost where there is but one", [missedAt("a", 9_000)], "kept"],
    ["may be new to a replica", [missedAt("a", 2_500), missedAt("b", 4_000)], "kept"],
  ] as const)("%s", (_, histories, verdict) => {
    expect(findingOf(judgeJobs(histories), "job.never-lost").verdict).toBe(verdict);
  });
});

describe("jobs that are not found at first", () => {
  const foundFrom = (id: string, ms: number) => {
    const polls = [
      ...answered(404, ...[500, 1_900, 3_300, 4_700, 6_100, 7_500].filter((at) => at < ms)),
      { state: "completed" as const, at: ms },
    ];
    return { ...turnOf(id, 0, polls), issuedId: id };
  };
  it.each([
    ["may be new to a replica", [foundFrom("a", 1_900), foundFrom("b", 1_000)], "kept"],
    ["may be new to a replica that lags", [foundFrom("a", 4_000), foundFrom("b", 3_000)], "kept"],
    ["may have been away with all others", [foundFrom("a", 8_000)], "kept"],
    [
      "are lost after more than 5 s, others being found",
      [foundFrom("a", 8_000), foundFrom("b", 6_500)],
      "broken",
    ],
  ] as const)("%s", (_, histories, verdict) => {
    const found = findingOf(judgeJobs(histories), "job.never-lost");
    expect(found.verdict).toBe(verdict);
    if (verdict === "broken") expect(found.summary).toContain("7.5 s after it was accepted");
  });
});

it("tells of a job that was not shown any more by what was answered in its place", () => {
  const polls = [...pollsTo("completed").slice(0, 2), ...answered(401, 3_000, 4_000)];
  const histories = run({ variant: "B", ends: ["completed"], polls: { completed: polls } });
  const waited = histories.map((history) => ({ ...history, gaveUpAtMs: T0 + 10_010 }));
  const found = findingOf(judgeJobs(waited), "job.never-lost");
  expect(found).toMatchObject({ verdict: "inconclusive" });
  expect(found.summary).toContain("and then polls got status 401");
});

describe("a job that waits while later ones of its worker take turns", () => {
  const turns = [0, 2_000, 4_000];
  it.each([
    ["is lost when each had the worker for itself", turns, "broken"],
    ["is not lost after two of them", turns.slice(1), "inconclusive"],
    ["is not lost while they lie side by side", [0, 500, 1_000], "inconclusive"],
    ["is not lost where a fourth was open meanwhile", [...turns, -500], "inconclusive"],
    [
      "is not lost where the last had not ended when it was polled",
      [...turns.slice(1), 9_000],
      "inconclusive",
    ],
  ] as const)("%s", (_, starts, verdict) => {
    const subject = turnOf("waiting", 0, standing("queued"));
    const others = starts.map((ms, index) => {
      const endMs = ms < 0 ? 9_800 : ms + 1_000;
      return turnOf(`turn-${index}`, ms + 100, [{ state: "completed", at: endMs }]);
    });
    const waiting = { ...subject, gaveUpAtMs: T0 + 10_010 };
    expect(findingOf(judgeJobs([waiting, ...others]), "job.never-lost").verdict).toBe(verdict);
  });
});
