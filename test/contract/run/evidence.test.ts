/** Records on their way from a scenario to those who judge them: nothing that counts is lost. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import { formatRecord, parseRecord } from "../../../contract/run/evidence.ts";
import { OBSERVATION_VERSION } from "../../../contract/run/observation.ts";
import { FREE, simulateTrial } from "../judges/rate/simulated-trial.ts";

const TRIAL = simulateTrial({ kind: "gcra", actual: FREE, promised: FREE });
const RECORD: EvidenceRecord = {
  type: "observation",
  version: OBSERVATION_VERSION,
  scenario: "rate-limit",
  kind: "rate.key",
  value: TRIAL,
};

describe("a record of evidence", () => {
  it("says what was observed, exchange by exchange", () => {
    expect(parseRecord(formatRecord(RECORD))).toEqual(RECORD);
  });

  it("writes once what many answers have in common", () => {
    expect(formatRecord(RECORD).length).toBeLessThan(JSON.stringify(RECORD).length / 3);
  });

  it("keeps of an answer's headers those that count", () => {
    const [shot] = TRIAL.volleys[0]?.shots ?? [];
    if (shot === undefined) throw new Error("the trial has no requests");
    const headers = { date: "today", "retry-after": "1", link: '</v1/jobs?page=2>; rel="next"' };
    const ids = { "x-request-id": "7", "cf-ray": "8f-FRA" };
    const told = { ...shot, headers: { ...headers, ...ids, "x-served-by": "pod-3" } };
    const value = { ...TRIAL, waitsDeclined: [told] };
    expect(parseRecord(formatRecord({ ...RECORD, value } as EvidenceRecord))).toMatchObject({
      value: { waitsDeclined: [{ headers: { ...headers, ...ids } }] },
    });
    expect(formatRecord({ ...RECORD, value } as EvidenceRecord)).not.toContain("x-served-by");
  });

  it("of another version is no record", () => {
    const line = formatRecord(RECORD).replace(`"version":${OBSERVATION_VERSION}`, '"version":1');
    expect(parseRecord(line)).toBeNull();
  });
});
