/** When jobs say that they ended, by how long they took. */

import { describe, expect, it } from "vitest";
import { parseTimestamp } from "../../../../contract/time/timestamps.ts";
import { toldEndMs } from "../../../../scenarios/load/followed/told-end.ts";

const told = (created: string, finished: string, durationMs: number | null = 401) => {
  const [createdAt, finishedAt] = [created, finished].map((time) => {
    return parseTimestamp(`2026-01-01T00:00:${time}Z`);
  });
  if (createdAt == null || finishedAt == null) throw new Error(`no times: ${created}, ${finished}`);
  return toldEndMs({ sentAtMs: 5_000, openAtMs: 5_016 }, { createdAt, finishedAt, durationMs });
};

describe("the end that a job tells", () => {
  it("follows its submission by as long as it took", () => {
    expect(told("00.100", "02.350")).toBe(7_250);
    expect(told("00.100", "00.105")).toBe(5_016);
  });

  it("of whole seconds is not before it had run as long as it says", () => {
    expect(told("00", "00")).toBe(5_401);
    expect(told("00", "02")).toBe(7_000);
    expect(told("00", "00", null)).toBe(5_016);
  });

  it("of milliseconds is what these say, whatever duration is stated beside them", () => {
    expect(told("00.100", "00.350")).toBe(5_250);
  });
});
