/** A part whose jobs all end otherwise than it should is told by its worker's name. */

import { describe, expect, it } from "vitest";
import type { PartJob } from "../../../../contract/judges/job/part-ends.ts";
import { partEndNotes } from "../../../../contract/judges/job/part-ends.ts";
import { ENDS_BY_PART } from "../../../../contract/run/run-plan.ts";
import type { EndState } from "../../../../contract/states.ts";
import { run } from "./fixtures.ts";

/** One job an end, as of a worker that plays that part. */
function jobs(part: "success" | "failure", ends: readonly EndState[]): readonly PartJob[] {
  const expected = ENDS_BY_PART[part];
  return run({ variant: "B", ends }).map((job) => ({ ...job, part, expected }));
}

const named = 'workers.success names "echo"';
const hint = "expected completed; see the target file";

describe("the notes on how jobs of a part ended", () => {
  it.each<[string, readonly PartJob[], readonly string[]]>([
    [
      "all failed",
      jobs("success", ["failed", "failed", "failed"]),
      [`${named}: 3 of 3 jobs failed, ${hint}`],
    ],
    [
      "some failed and one timed out",
      jobs("success", ["timeout", "failed", "failed"]),
      [`${named}: 2 of 3 jobs failed, 1 of 3 jobs timed out, ${hint}`],
    ],
    [
      "one should have failed",
      jobs("failure", ["completed"]),
      ['workers.failure names "echo": 1 of 1 job completed, expected failed; see the target file'],
    ],
    ["one of them completed", jobs("success", ["failed", "failed", "completed"]), []],
    [
      "each part ended as it should",
      [...jobs("success", ["completed"]), ...jobs("failure", ["failed"])],
      [],
    ],
    ["none was seen to end", jobs("success", ["failed"]).map((job) => ({ ...job, polls: [] })), []],
    ["the job has no part", jobs("success", ["failed"]).map((job) => ({ ...job, part: null })), []],
  ])("where %s", (_, given, notes) => {
    expect(partEndNotes(given)).toEqual(notes);
  });
});
