/** What a job object says of its own times: nothing that it does not say. */

import { describe, expect, it } from "vitest";
import { decodeJob } from "../../../contract/decode/job.ts";
import { parseTimestamp } from "../../../contract/time/timestamps.ts";
import { stampedAlone, stampsOf } from "../../../contract/timeline/observation.ts";

/** A job of variant A, which states no start. Spec §2.5. */
function jobOf(status: string, durationMs: number | null) {
  const { value } = decodeJob({
    job_uuid: "job_0123456789abcdef",
    worker: "echo",
    status,
    created_at: "2026-01-02T03:04:05.000Z",
    completed_at: "2026-01-02T03:04:09.012Z",
    duration_ms: durationMs,
  });
  if (value === null) throw new Error("no job of variant A");
  return value;
}

describe("the start of a job that states only its duration", () => {
  it("lies that long before its end", () => {
    const { finished, started } = stampsOf(jobOf("completed", 3_000));
    expect(finished).not.toBeNull();
    expect(started?.lowMs).toBe((finished?.lowMs ?? 0) - 3_001);
  });

  it.each([
    ["cancelled", 0, false],
    ["failed", 0, false],
    ["completed", 0, true],
    ["timeout", 0, true],
    ["failed", 12, true],
    ["cancelled", null, false],
  ])("of a %s job that took %j ms is known: %j", (status, durationMs, isKnown) => {
    expect(stampsOf(jobOf(status, durationMs)).started !== null).toBe(isKnown);
  });
});

it.each([
  ["05.000Z", 1_000],
  ["05.001Z", 1],
  ["05Z", 1_000],
])("a time with none beside it, %s, may lie up to %i ms before the true one", (text, ms) => {
  const { lowMs, highMs } = stampedAlone(parseTimestamp(`2026-01-02T03:04:${text}`)) ?? {
    lowMs: 0,
    highMs: 0,
  };
  expect(highMs - lowMs).toBe(ms);
});
