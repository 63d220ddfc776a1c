/**
 * A whole gate on virtual time: healthy, traced and hung. With one fault, and twice the same, it is
 * in test/kill-matrix/determinism.test.ts.
 */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { findingOf, promisesWith } from "../contract/findings.ts";

describe("a simulated gate of all promises in the profile standard", () => {
  it("keeps all promises of a healthy service of variant B", async () => {
    const result = await simulateGate({ seed: 1, service: { variant: "B" } });
    expect(promisesWith(result.findings, "broken")).toEqual([]);
    expect(promisesWith(result.findings, "inconclusive")).toEqual([]);
    expect(promisesWith(result.findings, "kept")).toHaveLength(PROMISE_IDS.length);
    const weak = result.findings.filter(({ strength }) => {
      return (strength?.looks[0]?.count ?? 0) === 0 && (strength?.measured ?? []).length === 0;
    });
    expect(weak.map(({ promise }) => promise)).toEqual([]);
  });

  it("judges the same with traces as without, and names them in the evidence", async () => {
    const service = { variant: "B", faults: ["job.cost/negative-part"] } as const;
    const only = ["job.cost", "submit.unique-id", "timeout.free", "rate.burst"] as const;
    const plain = await simulateGate({ seed: 4, service, only });
    const traced = await simulateGate({
      ...{ seed: 4, service, only },
      target: (target) => ({ ...target, trace: { url: null } }),
    });
    const verdicts = ({ findings }: RunResult) =>
      findings.map(({ promise, verdict }) => [promise, verdict]);
    expect(verdicts(traced)).toEqual(verdicts(plain));
    const quotes = (result: RunResult) => result.findings.flatMap((each) => each.observations);
    expect(quotes(traced).length).toBeGreaterThan(0);
    expect(quotes(traced).every(({ traceId = "" }) => /^[0-9a-f]{32}$/.test(traceId))).toBe(true);
    expect(quotes(plain).some((quote) => "traceId" in quote)).toBe(false);
  });
});

describe("a simulated gate in the profile quick", () => {
  it("leaves nothing in doubt of a healthy service, and tells its limits", async () => {
    const result = await simulateGate({ seed: 5, profile: "quick", service: { variant: "B" } });
    expect([
      promisesWith(result.findings, "broken"),
      promisesWith(result.findings, "inconclusive"),
    ]).toEqual([[], []]);
    const tooShort = ["webhook.wait-3", "webhook.gives-up", "load.throughput"];
    expect(promisesWith(result.findings, "unobserved")).toEqual(tooShort);
  });

  it("stops a scenario that hung: it submits nothing while the next one counts", async () => {
    // On a machine so slow that no time which a scenario leaves itself is enough.
    const { pressure } = SURROUNDINGS;
    const surroundings = { ...pressure, suite: { ...pressure.suite, slowness: 25 } };
    const drawn = healthyService(19);
    // What such a machine sees of whole tokens, and costs by the second, tells no unit.
    const choices = { ...drawn.choices, balanceUnit: "credits", costBy: "price" } as const;
    const { findings } = await simulateGate({
      seed: 19,
      profile: "quick",
      surroundings,
      service: { ...drawn, choices, timeScale: 1 },
    });
    const of = (id: PromiseId) => findingOf(findings, id);
    expect(of("rate.sustained").summary).toMatch(/hung and was stopped after 240 s/);
    expect(of("load.accounting").verdict, of("load.accounting").summary).toBe("kept");
  });
});
