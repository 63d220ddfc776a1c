/** What counts of a run that ended is what was observed, not what was made of it meanwhile. */

import { describe, expect, it } from "vitest";
import { judgedAgain } from "../../../contract/judging/records.ts";
import type { PromiseId } from "../../../contract/promises.ts";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import type { Observation } from "../../../contract/run/observation.ts";
import { OBSERVATION_VERSION } from "../../../contract/run/observation.ts";
import { broken } from "../../../contract/verdict.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { answer } from "../judges/answers.ts";

/** What a scenario leaves that has judged `judged` broken by itself. */
function recordsOf(
  scenario: string,
  promises: readonly PromiseId[],
  judged: PromiseId,
  ...seen: readonly Observation[]
): readonly EvidenceRecord[] {
  const finding = broken(judged, "judged in k6");
  return [
    { type: "registered", scenario, promises, atMs: 0 },
    ...seen.map(
      (each) => ({ type: "observation", version: OBSERVATION_VERSION, scenario, ...each }) as const,
    ),
    { type: "finding", scenario, finding, judged: true },
  ];
}

const FAILURE: Observation = { kind: "failure", value: { reason: "out of order" } };
const TIMEOUT = recordsOf("timeout", ["timeout.fires", "timeout.free"], "timeout.fires", FAILURE);
const PLAN = {
  ...BASE_PLAN,
  promises: ["account.readable", "job.unknown", "cancel.queued"],
} as const;
const ACCOUNT: Observation = {
  kind: "contract.account",
  value: [{ what: "me", attempts: [answer(200, { body: "{}" })] }],
};

function ended(records: readonly EvidenceRecord[]): readonly EvidenceRecord[] {
  return [...records, { type: "ended", scenario: records[0]?.scenario ?? "", atMs: 1 }];
}

function verdictsIn(records: readonly EvidenceRecord[]): readonly string[] {
  return records.flatMap((each) =>
    each.type === "finding" ? [`${each.finding.promise} ${each.finding.verdict}`] : [],
  );
}

describe("judgedAgain", () => {
  it("puts its own judgement in place of the one that was made during the run", () => {
    const plan = { ...BASE_PLAN, promises: ["timeout.fires", "timeout.free"] as const };
    expect(verdictsIn(judgedAgain(ended(TIMEOUT), plan))).toEqual([
      "timeout.fires inconclusive",
      "timeout.free inconclusive",
    ]);
  });

  it("leaves a run alone that did not end: half of what it saw may be missing", () => {
    expect(judgedAgain(TIMEOUT, BASE_PLAN)).toEqual(TIMEOUT);
  });

  it("judges what a contract run saw until it died, step by step", () => {
    const records = recordsOf("contract", PLAN.promises, "job.unknown", ACCOUNT);
    expect(verdictsIn(judgedAgain(records, PLAN))).toEqual(["account.readable kept"]);
  });

  it("holds a failure against the promises that it names, and leaves the others", () => {
    const reason = "no connection";
    const seen: Observation[] = [
      ACCOUNT,
      { kind: "failure", value: { reason, promises: ["job.unknown"] } },
      { kind: "nothing", value: { reason: "no method", promises: ["cancel.queued"] } },
    ];
    const records = ended(recordsOf("contract", PLAN.promises, "job.unknown", ...seen));
    expect(verdictsIn(judgedAgain(records, PLAN))).toEqual([
      "account.readable kept",
      "job.unknown inconclusive",
      "cancel.queued unobserved",
    ]);
  });

  it("keeps what the steps saw where the scenario failed after them", () => {
    const records = ended(recordsOf("contract", PLAN.promises, "job.unknown", ACCOUNT, FAILURE));
    expect(verdictsIn(judgedAgain(records, PLAN))).toEqual([
      "account.readable kept",
      "job.unknown inconclusive",
      "cancel.queued inconclusive",
    ]);
  });
});
