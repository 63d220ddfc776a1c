/** What counts of a run that ended is what was observed, not what was made of it meanwhile. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../../contract/evidence.ts";
import { judgedAgain } from "../../../contract/judging/records.ts";
import { broken, kept } from "../../../contract/verdict.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

const scenario = "timeout";
const RECORDS: readonly EvidenceRecord[] = [
  { type: "registered", scenario, promises: ["timeout.fires", "timeout.free"], atMs: 0 },
  { type: "finding", scenario, finding: kept("timeout.free", "told by the scenario itself") },
  {
    type: "observation",
    version: 2,
    scenario,
    kind: "failure",
    value: { reason: "the scenario failed: out of order" },
  },
  { type: "finding", scenario, finding: broken("timeout.fires", "judged in k6"), judged: true },
];
const ENDED: EvidenceRecord = { type: "ended", scenario, atMs: 1 };

function verdictsIn(records: readonly EvidenceRecord[]): readonly string[] {
  return records.flatMap((each) =>
    each.type === "finding" ? [`${each.finding.promise} ${each.finding.verdict}`] : [],
  );
}

describe("judgedAgain", () => {
  it("puts its own judgement in place of the one that was made during the run", () => {
    const records = judgedAgain([...RECORDS, ENDED], BASE_PLAN);
    expect(verdictsIn(records)).toEqual(["timeout.free kept", "timeout.fires inconclusive"]);
  });

  it("leaves a run alone that did not end: half of what it saw may be missing", () => {
    expect(judgedAgain(RECORDS, BASE_PLAN)).toEqual(RECORDS);
  });

  it("judges nothing of a scenario that only hands out findings of its own", () => {
    const own = RECORDS.slice(0, 2);
    expect(judgedAgain([...own, ENDED], BASE_PLAN)).toEqual([...own, ENDED]);
  });
});
