/** What the gate asks once more, and what it makes of the second answers. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import type { Breach, Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept } from "../../contract/verdict.ts";
import { runGate } from "../../gate/gate.ts";
import type { GateOptions } from "../../gate/options.ts";
import type { GatePorts } from "../../gate/ports.ts";
import { REAL_NET } from "../../gate/ports.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import { findingOf } from "../contract/findings.ts";
import { BASE_TARGET } from "./base-target.ts";

const RATE = "rate.sustained";
const OTHER = "rate.limited";
const DOUBT = inconclusive(RATE, "answers came too unevenly");
const WELL = kept(OTHER, "requests got 429");

interface Round {
  findings: readonly Finding[];
  jobs?: number;
  durationMs?: number;
}

/** A gate whose one scenario says so on each of its runs; what was run, and what came of it. */
async function gate(rounds: readonly Round[], changes: Partial<GateOptions> = {}) {
  const ran: { name: string; promises: readonly PromiseId[]; seed: number }[] = [];
  const patient: boolean[] = [];
  let nowMs = 0;
  const ports: GatePorts = {
    nowMs: () => nowMs,
    cores: 2,
    openReceiver,
    record: async () => {},
    net: { ...REAL_NET, sleep: async () => {} },
    async runScenario({ name, plan }) {
      const { findings, jobs = 0, durationMs = 1_000 } = rounds[ran.length] ?? { findings: [] };
      ran.push({ name, promises: plan.promises, seed: plan.seed });
      patient.push(plan.isPatient === true);
      nowMs += durationMs;
      const scenario = "rate-limit";
      const records: EvidenceRecord[] = [
        { type: "registered", scenario, promises: [RATE, OTHER], atMs: 0 },
        ...findings.map((finding) => ({ type: "finding", scenario, finding }) as const),
        { type: "spent", scenario, jobs, credits: 0, usd: 0 },
        { type: "ended", scenario, atMs: 0 },
      ];
      const ended = { exitCode: 0, timedOut: false, interrupted: false, outgrown: false };
      return { ...ended, dropped: 0, records, stderrTail: "", durationMs };
    },
  };
  const result = await runGate(
    {
      target: BASE_TARGET,
      secrets: new Map(),
      profile: "quick",
      only: [RATE, OTHER],
      seed: 7,
      outputDir: "",
      k6: { path: "", version: "none" },
      scenarios: [{ name: "rate-limit", promises: [RATE, OTHER], script: "", jobs: 0 }],
      signal: new AbortController().signal,
      onProgress: () => {},
      onPlanned: () => {},
      ...changes,
    },
    ports,
  );
  const finding = findingOf(result.findings, RATE);
  return { ran, patient, result, finding };
}

describe("a gate that leaves a promise in doubt", () => {
  it("asks for that alone once more, with other chance, and tells both answers", async () => {
    const { ran, finding, result } = await gate([
      { findings: [DOUBT, WELL], jobs: 2 },
      { findings: [kept(RATE, "admits 10.00 of 10/s")], jobs: 3 },
    ]);
    expect(ran).toEqual([
      { name: "rate-limit", promises: [RATE, OTHER], seed: 7 },
      { name: "rate-limit-again", promises: [RATE], seed: 8 },
    ]);
    expect(finding).toMatchObject({ verdict: "kept", summary: "admits 10.00 of 10/s" });
    expect(finding.evidence).toEqual({ inDoubtAtFirst: "answers came too unevenly" });
    expect(result.notes).toContain(
      "rate-limit: repeated for rate.sustained, inconclusive at first",
    );
    expect(result.budget.spent.jobs).toBe(5);
  });

  it("stays in doubt where the second answer is none, either", async () => {
    const { ran, finding } = await gate([
      { findings: [DOUBT, WELL] },
      { findings: [inconclusive(RATE, "requests paused")] },
    ]);
    expect(ran).toHaveLength(2);
    expect(finding.verdict).toBe("inconclusive");
    expect(finding.reason).toBe("requests paused; inconclusive at first, too");
    expect(finding.evidence).toEqual({ inDoubtAtFirst: "answers came too unevenly" });
  });

  it.each([
    ["stays in doubt where the second run has no look at its kind", { A: 3 }, "inconclusive"],
    ["is answered by a look at its kind", { A: 3, B: 1 }, "kept"],
    ["is answered where kinds were not counted", null, "kept"],
  ])("%s", async (_, ways, verdict) => {
    const doubt = inconclusive(RATE, DOUBT.summary, { kinds: { ways: ["B"] } });
    const second = kept(RATE, "all is well", { evidence: { ways } });
    const { finding } = await gate([{ findings: [doubt, WELL] }, { findings: [second] }]);
    expect(finding.verdict).toBe(verdict);
  });

  it("believes a second answer that is broken", async () => {
    const { finding } = await gate([
      { findings: [DOUBT, WELL] },
      { findings: [broken(RATE, "admits 20.00/s, promised 10/s")] },
    ]);
    expect(finding.verdict).toBe("broken");
  });

  it("never asks again for what is broken", async () => {
    const findings = [broken(RATE, "admits 20.00/s, promised 10/s"), WELL];
    const { ran, finding } = await gate([{ findings }]);
    expect(ran).toHaveLength(1);
    expect(finding.verdict).toBe("broken");
    const both = await gate([{ findings: [DOUBT, broken(RATE, "admits 20.00/s"), WELL] }]);
    expect(both.ran).toHaveLength(1);
  });

  it("does not ask again where the scenario kept nothing, as in an outage", async () => {
    const findings = [DOUBT, inconclusive(OTHER, "no answers")];
    const { ran } = await gate([{ findings }]);
    expect(ran).toHaveLength(1);
  });

  const OF_A: Breach = { promise: OTHER, key: "free-a" };
  const OF_B: Breach = { promise: OTHER, key: "free-b" };
  const limitless = (keys: readonly string[]) => broken(OTHER, "no request got 429", { keys });

  it.each<[title: string, explainedBy: readonly Breach[], limited: Finding, runs: number]>([
    ["a promise that is broken", [{ promise: OTHER }], limitless([]), 1],
    ["a promise that is broken for some key", [{ promise: OTHER }], limitless(["pro-a"]), 1],
    [
      "one of two that is broken",
      [{ promise: "rate.burst" }, { promise: OTHER }],
      limitless([]),
      1,
    ],
    ["a promise that is kept", [{ promise: OTHER }], WELL, 2],
    ["nothing", [], limitless([]), 2],
    ["the same key's breach", [OF_A], limitless(["free-a"]), 1],
    ["a breach that names no key", [OF_A, OF_B], limitless([]), 1],
    ["another key's breach", [OF_A], limitless(["free-b"]), 2],
    ["the breach of one of two keys", [OF_A, OF_B], limitless(["free-a"]), 2],
    ["the breaches of both keys", [OF_A, OF_B], limitless(["free-b", "free-a"]), 1],
  ])("that is explained by %s", async (_, explainedBy, limited, runs) => {
    const doubt = inconclusive(RATE, "no request got 429 under overload", { explainedBy });
    const promises = [RATE, OTHER, "rate.per-key"] as const;
    const { ran } = await gate([{ findings: [doubt, limited, kept("rate.per-key", "apart")] }], {
      only: promises,
      scenarios: [{ name: "rate-limit", promises, script: "", jobs: 0 }],
    });
    expect(ran).toHaveLength(runs);
  });

  it("asks again within twice the time of the profile only", async () => {
    const { ran, finding, result } = await gate([{ findings: [DOUBT, WELL], durationMs: 100_000 }]);
    expect(ran).toHaveLength(1);
    expect(finding.verdict).toBe("inconclusive");
    expect(result.notes).toContain("rate-limit: no time or budget is left to repeat it");
  });

  it.each([
    [10, [false, true]],
    [12, [false, false]],
  ])("is patient where the time of the profile allows it: %i min", async (minutes, expected) => {
    const durationMs = minutes * 60_000;
    const rounds = [{ findings: [DOUBT, WELL], durationMs }];
    const { patient } = await gate(rounds, { profile: "standard" });
    expect(patient).toEqual(expected);
  });

  it("asks for no job where the budget is spent", async () => {
    const job = { promise: "job.cost", other: "job.shape" } as const;
    const { ran, result } = await gate(
      [
        {
          findings: [inconclusive(job.promise, "costs came late"), kept(job.other, "as promised")],
          jobs: 5,
        },
      ],
      {
        target: { ...BASE_TARGET, budget: { jobs: 5, credits: null, usd: null } },
        only: [job.promise, job.other],
        scenarios: [{ name: "contract", promises: [job.promise, job.other], script: "", jobs: 5 }],
      },
    );
    expect(ran.map(({ name }) => name)).toEqual(["contract"]);
    expect(result.budget.spent.jobs).toBe(5);
  });

  it("does not ask again once it is interrupted", async () => {
    const stop = new AbortController();
    const { ran, result } = await gate([{ findings: [DOUBT, WELL] }], {
      signal: stop.signal,
      onProgress: ({ type }) => {
        if (type === "run-ended") stop.abort();
      },
    });
    expect(ran).toHaveLength(1);
    expect(result.interrupted).toBe(true);
  });
});
