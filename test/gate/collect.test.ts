/** Figures, notes, spendings and the variant of a run. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { measurementsOf, notesOf, seriesOf, spentOf, variantOf } from "../../gate/collect.ts";

const scenario = "contract";
const RECORDS: EvidenceRecord[] = [
  { type: "variant", scenario, variant: "B" },
  { type: "note", scenario, text: "cancel is DELETE" },
  { type: "measurement", scenario, group: "rate", value: { key: "a" } },
  { type: "spent", scenario, jobs: 3, credits: 1.5, usd: 0 },
  { type: "note", scenario: "rate-limit", text: "cancel is DELETE" },
  { type: "measurement", scenario: "rate-limit", group: "rate", value: { key: "b" } },
  { type: "spent", scenario: "rate-limit", jobs: 2, credits: 0, usd: 0.25 },
];

describe("collecting", () => {
  it("groups measurements", () => {
    expect(measurementsOf(RECORDS)).toEqual({ rate: [{ key: "a" }, { key: "b" }] });
  });

  it("groups series, in the order of their arrival", () => {
    const of = (worker: string) => {
      const value = { worker, limitMs: 1, earlyMs: 0, lateMs: 0, overshootsMs: [], jobs: 0 };
      return { type: "series", scenario, group: "timeout", value } as const;
    };
    const { timeout, ...others } = seriesOf([...RECORDS, of("a"), of("b")]);
    expect(timeout.map(({ worker }) => worker)).toEqual(["a", "b"]);
    expect(Object.values(others)).toEqual([[], [], [], []]);
  });

  it("says each note once", () => {
    expect(notesOf(RECORDS, ["from Node", "cancel is DELETE"], null)).toEqual([
      "cancel is DELETE",
      "from Node",
    ]);
  });

  it("sums what was spent", () => {
    const before = { jobs: 1, credits: 2, usd: 0.01 };
    expect(spentOf(RECORDS, before)).toEqual({ jobs: 6, credits: 3.5, usd: 0.26 });
  });

  it("tells the variant, and notes a second one", () => {
    expect(variantOf(RECORDS)).toBe("B");
    expect(variantOf([])).toBeNull();
    const mixed: EvidenceRecord[] = [...RECORDS, { type: "variant", scenario, variant: "A" }];
    expect(notesOf(mixed, [], null)).toContain("both variants were seen in one run");
  });
});
