/** A service that dies in mid-run, or is away for a while, is told of with the times. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { runVerdict } from "../../report/verdict.ts";
import { openService } from "../../simulation/service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

it.each([
  ["no more", Number.POSITIVE_INFINITY, "to the end of the run"],
  ["not for 8 s", 8_000, "12:00:32 UTC (8 s"],
])("a service that answers %s", async (_, lastsMs, told) => {
  const fault = faultOf("job.shape", "away", "Nothing is answered from then on", ({ clock }) => {
    const fromMs = clock.nowMs() + 25_000;
    const isAway = () => clock.nowMs() >= fromMs && clock.nowMs() < fromMs + lastsMs;
    return { answer: (answer) => (isAway() ? { ...answer, status: 502 } : answer) };
  });
  const { notes } = await simulateGate({
    seed: 0,
    profile: "quick",
    service: { variant: "B", faults: [fault.name] },
    otherFaults: [fault],
    only: ["job.shape", "rate.limited"],
  });
  expect(notes[0]).toContain("the service answered nobody from 12:00:25 UTC to ");
  expect(notes[0]).toContain(told);
});

const REFUSED = { status: 0, headers: {}, body: "", isReset: false, bodyMs: 0 };

/** A gate whose service is killed after so many seconds, and how many seconds it took. */
async function killedAfter(
  seconds: number,
  profile: "quick" | "standard",
  only: readonly PromiseId[],
) {
  const result = await simulateGate({
    seed: 3,
    profile,
    only,
    openService(setup) {
      const service = openService(setup);
      const { clock } = setup.machine;
      const killedAtMs = clock.nowMs() + seconds * 1_000;
      return {
        ...service,
        serve(request, reply) {
          if (clock.nowMs() < killedAtMs) service.serve(request, reply);
          else reply({ ...REFUSED, lost: "refused" });
        },
      };
    },
  });
  const { variant } = result.target;
  const { exitCode, reason } = runVerdict({ ...result, strict: false, variant });
  const verdicts = Object.fromEntries(result.findings.map((each) => [each.promise, each.verdict]));
  const { notes, startedAtMs, finishedAtMs } = result;
  return { exitCode, reason, verdicts, notes, tookS: (finishedAtMs - startedAtMs) / 1_000 };
}

describe("a run whose service is killed", () => {
  it("is called off, and keeps what was seen before", async () => {
    const only: readonly PromiseId[] = ["webhook.wait-2", "webhook.wait-3", "load.errors"];
    const { exitCode, reason, verdicts, notes, tookS } = await killedAfter(80, "standard", only);
    expect(notes[0]).toMatch(
      /^target unavailable: nobody was answered since 12:0[12]:\d\d UTC; called/,
    );
    expect([exitCode, reason]).toEqual([111, expect.stringContaining("target unavailable")]);
    expect(verdicts["webhook.wait-2"]).toBe("kept");
    expect(verdicts["load.errors"]).toBe("inconclusive");
    expect(tookS).toBeLessThan(240);
  });

  it("starts no scenario after one that ended meanwhile", async () => {
    const only: readonly PromiseId[] = ["job.shape", "load.errors", "load.throughput"];
    const { exitCode, verdicts, notes, tookS } = await killedAfter(8, "quick", only);
    expect(notes[0]).toContain("target unavailable: nobody was answered since 12:00:0");
    expect(exitCode).toBe(111);
    expect(verdicts["load.errors"]).toBe("inconclusive");
    expect(tookS).toBeLessThan(125);
  });
});

it("a service that leaves whoever has no key waiting is there", async () => {
  const result = await simulateGate({
    seed: 3,
    profile: "standard",
    only: ["auth.missing-key", "webhook.wait-2"],
    openService(setup) {
      const service = openService(setup);
      return {
        ...service,
        serve(request, reply) {
          const hasKey = request.rawHeaders.some((name) => name.toLowerCase() === "x-api-key");
          if (hasKey) service.serve(request, reply);
        },
      };
    },
  });
  expect(result.isUnavailable).toBeUndefined();
  const wait = result.findings.find(({ promise }) => promise === "webhook.wait-2");
  expect(wait?.verdict).toBe("kept");
});
