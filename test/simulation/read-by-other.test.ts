/** That another account's key can read a job by its identifier is noted, and not judged. */

import { expect, it } from "vitest";
import type { Choices } from "../../reference/choices.ts";
import { judgeSimulated } from "../kill-matrix/simulated.ts";

const seed = 5;
const PROMISE = "job.list-own";

const notesWith = async (variant: "A" | "B", jobReaders: Choices["jobReaders"]) => {
  const choices = { jobReaders };
  const result = await judgeSimulated({ variant, choices, only: [PROMISE], seed });
  expect(result.findings.find(({ promise }) => promise === PROMISE)?.verdict).toBe("kept");
  return result.notes.filter((note) => note.includes("another account"));
};

it.each(["A", "B"] as const)("is noted where it can, and breaks nothing: %s", async (variant) => {
  const telling = /^[\w-]+, a key of another account, can .*: GET \/v1\/jobs\/[\w-]+ got 200\. /;
  expect(await notesWith(variant, "any-key")).toEqual([expect.stringMatching(telling)]);
});

it("is not spoken of where it cannot", async () => {
  expect(await notesWith("A", "account")).toEqual([]);
});
