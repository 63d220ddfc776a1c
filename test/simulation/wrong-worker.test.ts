/** A target file whose worker ends otherwise than its part should: the run says so. */

import { expect, it } from "vitest";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

const OWN_RESULT = "job.own-result";
const FAILING = { id: "fail", input: {}, marker: "text" };

it("names the worker of the success part all of whose jobs failed", async () => {
  const { notes, findings } = await simulateGate({
    seed: 1,
    only: [OWN_RESULT],
    target: (target) => ({ ...target, workers: { ...target.workers, success: FAILING } }),
  });
  const told = /^workers\.success names "fail": (\d+) of \1 jobs failed, expected completed; see /;
  expect(notes).toContainEqual(expect.stringMatching(told));
  expect(notes.filter((note) => note.startsWith("workers."))).toHaveLength(1);
  const own = findingOf(findings, OWN_RESULT);
  expect(own.summary).toBe("no job with a mark in its input completed");
});

it("says nothing where each part ends as it should", async () => {
  const { notes } = await simulateGate({ seed: 1, only: [OWN_RESULT] });
  expect(notes.filter((note) => note.startsWith("workers."))).toEqual([]);
});

it.each([
  ["some", ["load.throughput/1-in-10-fails"], 1],
  ["none", [], 0],
])("says how many of a load's jobs ended otherwise, which may be %s", async (_, faults, count) => {
  const { notes } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: ["load.no-losses"],
    service: { variant: "A", faults },
  });
  const told = /^\d+ of \d+ jobs of the soak \([\d.]+ %\) did not end as their part's should$/;
  expect(notes.filter((note) => told.test(note))).toHaveLength(count);
});
