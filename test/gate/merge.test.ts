/** One finding a promise, whatever became of the runs; silence is never `kept`. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../contract/verdict.ts";
import type { MergeInput } from "../../gate/merge.ts";
import { mergeEvidence } from "../../gate/merge.ts";
import type { ScenarioEvidence } from "../../gate/run-outcome.ts";
import { findingOf } from "../contract/findings.ts";
import { answer } from "../contract/judges/answers.ts";

const A = "auth.missing-key";
const B = "auth.invalid-key";
const BOTH_WITNESSES = "workers.detail-shape";
const NODE_ONLY = "auth.header-case";

const SCENARIO = {
  name: "contract",
  script: "/c.ts",
  promises: [A, B, BOTH_WITNESSES] as const,
  jobs: 3,
};

const BASE_RUN: ScenarioEvidence = {
  scenario: SCENARIO,
  outcome: "ended",
  trouble: null,
  registered: new Set<PromiseId>(SCENARIO.promises),
  findings: [kept(A, "holds"), kept(B, "holds"), kept(BOTH_WITNESSES, "holds")],
  records: [],
  raw: [],
  durationMs: 0,
  again: null,
};

const BASE_INPUT: MergeInput = {
  only: null,
  leftOut: [],
  runs: [BASE_RUN],
  testimonies: [kept(NODE_ONLY, "holds"), kept(BOTH_WITNESSES, "is valid")],
  besides: [],
  nodePromises: [NODE_ONLY, BOTH_WITNESSES],
  interrupted: false,
};

const inPassing = (finding: Finding): Finding => ({ ...finding, inPassing: true });

/** With what another scenario saw in passing. */
const beside = (...findings: readonly Finding[]) => {
  const scenario = { ...SCENARIO, name: "soak", promises: [] };
  const run = { ...BASE_RUN, scenario, findings: findings.map(inPassing) };
  return { runs: [BASE_RUN, run] };
};

function merged(changes: Partial<MergeInput>, id: PromiseId) {
  const finding = findingOf(mergeEvidence({ ...BASE_INPUT, ...changes }), id);
  return { verdict: finding.verdict, reason: finding.reason };
}

const withRun = (changes: Partial<ScenarioEvidence>) => ({ runs: [{ ...BASE_RUN, ...changes }] });

describe("mergeEvidence", () => {
  it("breaks what a witness in passing contradicts", () => {
    const exchanges = [answer(200, { path: "/v1/jobs/job_1", sentAtMs: Date.UTC(2026, 0, 2) })];
    const seen = beside(broken(A, "under load: no", { evidence: { samples: 9 }, exchanges }));
    const finding = findingOf(mergeEvidence({ ...BASE_INPUT, ...seen }), A);
    expect(finding).toMatchObject({
      verdict: "broken",
      summary: "under load: no",
      evidence: { seen: [{ at: "2026-01-02T00:00:00.000Z", answer: "200", job: "job_1" }] },
    });
    expect(finding).not.toHaveProperty("inPassing");
  });

  it("counts the samples of all who contradict a promise, with an example of each", () => {
    const first = { samples: 18, faults: 6, examples: ["a short key got 200"] };
    const second = { samples: 3, faults: 1, open: 1, examples: ["a long key got 409"] };
    const findings = [first, second].map((evidence) => broken(A, "no", { evidence }));
    const all = mergeEvidence({ ...BASE_INPUT, ...withRun({ findings }) });
    const examples = [...first.examples, ...second.examples];
    expect(findingOf(all, A).evidence).toEqual({ samples: 21, faults: 7, open: 1, examples });
  });

  it("adds the samples of witnesses in passing to what is kept", () => {
    const own = { ...looksAt(5, "jobs"), notTried: ["lists"] };
    const first = { ...BASE_RUN, findings: [kept(A, "holds", { strength: own })] };
    const runs = beside(kept(A, "holds", { strength: looksAt(7, "jobs") })).runs.slice(1);
    const all = mergeEvidence({ ...BASE_INPUT, runs: [first, ...runs] });
    const finding = findingOf(all, A);
    const strength = { looks: [{ of: "jobs", count: 12 }], notTried: ["lists"] };
    expect(finding).toMatchObject({ verdict: "kept", strength });
    expect(finding).not.toHaveProperty("inPassing");
  });

  it("hears what speaks against a promise from beside its scenarios and witnesses", () => {
    const besides = [broken(A, "over all runs: no"), broken(NODE_ONLY, "beside another: no")];
    expect(merged({ besides }, A).verdict).toBe("broken");
    expect(merged({ besides }, NODE_ONLY).verdict).toBe("broken");
    expect(merged({ besides }, B).verdict).toBe("kept");
    expect(merged({ besides, only: [B] }, A).verdict).toBe("unobserved");
  });

  it("takes no witness in passing for one who was asked", () => {
    const runs = beside(kept(NODE_ONLY, "holds"));
    expect(merged({ ...runs, testimonies: [] }, NODE_ONLY).verdict).toBe("unobserved");
  });

  it("has a finding for each of the promises, in the catalogue's order", () => {
    const ids = mergeEvidence(BASE_INPUT).map((finding) => finding.promise);
    expect(ids).toEqual(PROMISE_IDS);
  });

  it("keeps what all witnesses of a promise saw kept", () => {
    for (const id of [A, B, BOTH_WITNESSES, NODE_ONLY] as const) {
      expect(merged({}, id)).toEqual({ verdict: "kept", reason: null });
    }
  });

  it("withholds kept where one of two witnesses is missing", () => {
    expect(merged({ testimonies: [] }, BOTH_WITNESSES)).toMatchObject({ verdict: "unobserved" });
    const findings = [kept(A, "holds"), kept(B, "holds")];
    expect(merged(withRun({ findings }), BOTH_WITNESSES)).toMatchObject({
      verdict: "inconclusive",
    });
  });

  it("lets one broken finding decide among several", () => {
    const findings = [kept(A, "on key one"), broken(A, "on key two"), kept(A, "on key three")];
    expect(merged(withRun({ findings }), A).verdict).toBe("broken");
  });

  it.each([
    ["a scenario that registered it and said nothing", { findings: [] }, "without judging it"],
    [
      "a scenario that crashed",
      { outcome: "crashed", trouble: "died after 2 s with exit code 107: boom" },
      "scenario contract died after 2 s with exit code 107: boom",
    ],
    [
      "a scenario that hung",
      { outcome: "timed-out", trouble: "hung and was stopped after 60 s" },
      "scenario contract hung and was stopped after 60 s",
    ],
  ] as const)("is inconclusive on %s", (_, changes, reason) => {
    const result = merged(withRun(changes as Partial<ScenarioEvidence>), A);
    expect(result.verdict).toBe("inconclusive");
    expect(result.reason).toContain(reason);
  });

  it("believes what a crashed scenario had seen broken before", () => {
    const findings = [broken(A, "was seen"), kept(B, "so far")];
    const changes = withRun({ outcome: "crashed", trouble: "died", findings });
    expect(merged(changes, A).verdict).toBe("broken");
    expect(merged(changes, B).verdict).toBe("inconclusive");
  });

  it("is unobserved on what an interrupted scenario had not finished, and keeps the rest", () => {
    const changes = { ...withRun({ outcome: "interrupted", findings: [kept(A, "holds")] }) };
    expect(merged({ ...changes, interrupted: true }, A).verdict).toBe("kept");
    expect(merged({ ...changes, interrupted: true }, B)).toEqual({
      verdict: "unobserved",
      reason: "interrupted",
    });
    expect(merged({ testimonies: [], interrupted: true }, NODE_ONLY).reason).toBe("interrupted");
  });

  it("is unobserved where a scenario did not take a promise on", () => {
    const changes = withRun({ registered: new Set(), findings: [] });
    expect(merged(changes, A)).toEqual({
      verdict: "unobserved",
      reason: "scenario contract did not take it on",
    });
  });

  it("passes on a scenario's own reason for not looking", () => {
    const findings = [unobserved(A, "no revoked key is configured")];
    expect(merged(withRun({ findings }), A).reason).toBe("no revoked key is configured");
  });

  it.each(["webhook.wait-1", "load.errors", "timeout.fires"] as const)(
    "is unobserved on %s, which no scenario of this version judges",
    (id) => {
      expect(merged({}, id)).toMatchObject({ verdict: "unobserved" });
      expect(merged({}, id).reason).toMatch(/this version/);
    },
  );

  it("says of the promises not asked for that they were not", () => {
    expect(merged({ only: [A] }, B)).toEqual({ verdict: "unobserved", reason: "not asked for" });
    expect(merged({ only: [A] }, A).verdict).toBe("kept");
  });

  it("ignores that a scenario could not look where only Node can", () => {
    const findings = [...BASE_RUN.findings, unobserved(NODE_ONLY, "k6 can't see it")];
    expect(merged(withRun({ findings }), NODE_ONLY).verdict).toBe("kept");
  });

  it.each(["broken", "inconclusive"] as const)(
    "hears %s of a scenario beside its own",
    (verdict) => {
      const say = verdict === "broken" ? broken : inconclusive;
      const beside = {
        ...BASE_RUN,
        scenario: { ...SCENARIO, name: "soak", promises: [] },
        findings: [say(A, "met a 429")],
      };
      expect(merged({ runs: [BASE_RUN, beside] }, A).verdict).toBe(verdict);
    },
  );

  it("needs a promise's own scenario for kept", () => {
    const beside = { ...BASE_RUN, scenario: { ...SCENARIO, name: "soak", promises: [] } };
    expect(merged({ runs: [beside] }, A).verdict).toBe("unobserved");
  });

  it("keeps the doubt of a witness beside another's kept", () => {
    const testimonies = [inconclusive(BOTH_WITNESSES, "no schema could be read")];
    expect(merged({ testimonies }, BOTH_WITNESSES)).toEqual({
      verdict: "inconclusive",
      reason: "no schema could be read",
    });
  });

  it("leaves an objective open where the scenario met the outage that ended the run", () => {
    const load = { ...SCENARIO, name: "soak", promises: ["load.errors"] as const };
    const failed = broken("load.errors", "3 of 40 requests failed");
    const answeredTo = (scenario: string, toMs: number) =>
      ({ type: "silences", scenario, silences: [], answered: [[0, toMs]] }) as const;
    const gone = { type: "unavailable", scenario: load.name, sinceMs: 0 } as const;
    const next = { ...BASE_RUN, raw: [answeredTo(SCENARIO.name, 90_000)] };
    const verdict = (raw: ScenarioEvidence["raw"], finding = failed, others = [next]) => {
      const run = { ...BASE_RUN, scenario: load, findings: [finding], raw };
      return merged({ runs: [run, ...others], isCalledOff: true }, finding.promise).verdict;
    };
    const toItsEnd = answeredTo(load.name, 60_000);
    expect(verdict([toItsEnd, gone])).toBe("inconclusive");
    expect(verdict([toItsEnd])).toBe("broken");
    expect(verdict([toItsEnd], failed, [])).toBe("inconclusive");
    expect(verdict([gone], broken("job.shape", "no status"))).toBe("broken");
  });
});
