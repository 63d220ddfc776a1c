/** Timestamps of the service, whatever was shown before them. */

import { describe, expect, it } from "vitest";
import { isoTimestamp } from "../../reference/timestamps.ts";

const AS_DATES = { utc: "Z", stamps: "ms" } as const;

describe("a timestamp", () => {
  it.each([
    ["of a second that was not shown yet", 1_767_268_800_007],
    ["of the same second", 1_767_268_800_999],
    ["within a millisecond", 1_767_268_801_004.75],
    ["of a year with five figures", 253_402_300_800_000],
  ])("%s is the one that a date has", (_, atMs) => {
    expect(isoTimestamp(atMs, AS_DATES)).toBe(new Date(atMs).toISOString());
  });

  it("is right for many seconds, forwards and back again", () => {
    const times = Array.from({ length: 250 }, (_, at) => 1_767_268_800_000 + at * 777);
    for (const atMs of [...times, ...times.toReversed()]) {
      expect(isoTimestamp(atMs, AS_DATES)).toBe(new Date(atMs).toISOString());
    }
  });
});
