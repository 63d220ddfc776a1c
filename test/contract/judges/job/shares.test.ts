/** How many jobs a fault has struck, of those that could have shown it. */

import { expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { Edit } from "./fixtures.ts";
import { run } from "./fixtures.ts";
import { when } from "./table.ts";

const legacy = when("completed", (body) => Object.assign(body, { status: "succeeded" }));
const warned = when("completed", (body) => Object.assign(body, { error: { code: "old" } }));
const unexplained = when("failed", (body) => Object.assign(body, { error: null }));

it.each([
  ["job.known-states", "a word of its own for one end, however often it is seen", legacy, [1, 4]],
  ["job.error-only-on-failure", "an error of a job that did not fail", warned, [1, 3]],
  ["job.error-only-on-failure", "none of one that did", unexplained, [1, 1]],
] as const)("%s: %s", (promise, _name, edit: Edit, [faults, samples]) => {
  const findings = judgeJobs(run({ variant: "A", edit }));
  expect(findings.find((each) => each.promise === promise)).toMatchObject({
    verdict: "broken",
    evidence: { faults, samples },
  });
});
