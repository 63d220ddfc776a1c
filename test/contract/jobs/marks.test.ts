/** Marks are found wherever a result holds them, however long it is. */

import { describe, expect, it } from "vitest";
import { markOf, marksWithin } from "../../../contract/jobs/marks.ts";

describe("the marks within a value", () => {
  const [one, other] = [markOf("0123456789abcdef"), markOf("fedcba9876543210")];

  it("are those of its texts and of the names of its members, each once", () => {
    const value = [{ [one]: [`said ${other}`, { x: one }] }, null, 7];
    expect([...marksWithin(value)].sort()).toEqual([one, other].sort());
  });

  it("are found beside more members than an argument list takes", () => {
    const many = Array.from({ length: 400_000 }, (_, at) => [`member${at}`, at] as const);
    expect(marksWithin({ ...Object.fromEntries(many), text: one })).toEqual([one]);
  });
});
