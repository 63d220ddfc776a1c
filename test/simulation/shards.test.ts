/** A load that several virtual users share ends as it does with one: in counts and verdicts. */

import { describe, expect, it } from "vitest";
import type { LoadTally } from "../../contract/judges/load/tally.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Target } from "../../contract/target.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import type { Simulation } from "../../simulation/simulated-gate.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { findingOf } from "../contract/findings.ts";

const LOAD: readonly PromiseId[] = PROMISE_IDS.filter((id) => id.startsWith("load."));
const ONLY: readonly PromiseId[] = [...LOAD, "timeout.under-load"];

function sharedBy(shards: number, durationMs = 60_000) {
  return (target: Target): Target => {
    const { load } = target;
    if (load === null) throw new Error("the embedded service has a load");
    return { ...target, load: { ...load, jobsPerSecond: 12, durationMs, shards } };
  };
}

interface Recorded {
  result: RunResult;
  text: string;
}

/** Of the healthy service by two virtual users: once, as several tests read it. */
let healthyByTwo: Promise<Recorded> | null = null;

function soakByTwo(): Promise<Recorded> {
  healthyByTwo ??= soak(2);
  return healthyByTwo;
}

async function soak(shards: number, change: Partial<Simulation> = {}): Promise<Recorded> {
  let text = "";
  const record = async (lines: string) => {
    text += lines;
  };
  const target = sharedBy(shards);
  const result = await simulateGate({ seed: 31, only: ONLY, target, record, ...change });
  return { result, text };
}

function verdictsOf({ findings }: RunResult): Record<string, string> {
  const asked = findings.filter(({ promise }) => ONLY.includes(promise));
  return Object.fromEntries(asked.map(({ promise, verdict }) => [promise, verdict]));
}

/** What follows from which jobs were offered, whoever offered them. */
function countsOf({ measurements }: RunResult) {
  const load = measurements.load?.[0] as unknown as LoadTally & { mix: unknown };
  const { offered, accepted, inFlight, mix } = load;
  return { offered, accepted, inFlight, mix };
}

describe.each([
  ["a healthy service", {}],
  ["a service whose clock is off, over a network", { surroundings: SURROUNDINGS.office }],
  ["a service that loses jobs", { service: { faults: ["load.no-losses/1-in-20"] } }],
  ["a service that charges too much", { service: { faults: ["load.accounting/1-percent-more"] } }],
] satisfies [string, Partial<Simulation>][])("%s", (_, change) => {
  it("is judged alike by one virtual user, by two and by four", async () => {
    const one = await soak(1, change);
    expect(Object.values(verdictsOf(one.result))).not.toContain("unobserved");
    for (const shards of [2, 4]) {
      const isShared = shards === 2 && Object.keys(change).length === 0;
      const { result } = await (isShared ? soakByTwo() : soak(shards, change));
      expect(verdictsOf(result)).toEqual(verdictsOf(one.result));
      expect(countsOf(result)).toEqual(countsOf(one.result));
    }
  });
});

describe.each([1, 2, 4])("identifiers that are issued again, to %i virtual users", (shards) => {
  it("break their own promise, and no other that one user finds kept", async () => {
    const faults = ["submit.unique-id/1-in-50-of-any-worker"];
    const only = [...ONLY, "submit.unique-id"] as const;
    const target = sharedBy(shards, 30_000);
    const { text } = await soak(shards, { service: { faults }, only, target });
    const run = readRecording(text).runs.find(({ scenario }) => scenario.name === "soak");
    const broken = run?.findings.filter(({ verdict }) => verdict === "broken") ?? [];
    expect(broken.map(({ promise }) => promise)).toEqual(["submit.unique-id"]);
    expect(broken[0]?.summary).toMatch(/the identifier "job_\w+" was issued .* at 2026-01-01T12:/);
  });
});

describe("the records of two shards", () => {
  it("are those of both, and judged again they end the same", async () => {
    const { result, text } = await soakByTwo();
    const [run] = readRecording(text).runs;
    const ended = run?.raw.flatMap((each) => (each.type === "ended" ? [each.shard] : []));
    expect(ended).toEqual(expect.arrayContaining([0, 1].map((index) => ({ index, count: 2 }))));
    expect(JSON.stringify(resultOf(readRecording(text)))).toBe(JSON.stringify(result));
  });

  it("keep nothing where those of one are lost, and break nothing", async () => {
    const { text } = await soakByTwo();
    const lines = text.split("\n");
    const lost = lines.filter((line) => !line.includes('"shard":{"index":1,"count":2}'));
    expect(lost.length).toBeLessThan(lines.length);
    const { findings } = resultOf(readRecording(lost.join("\n")));
    const told = findings.filter(({ verdict }) => verdict !== "unobserved");
    expect(new Set(told.map(({ verdict }) => verdict))).toEqual(new Set(["inconclusive"]));
    expect(findingOf(told, "load.no-losses").summary).toMatch(/shard 2 of 2 is missing/);
  });

  it("keep nothing where those of one are there twice", async () => {
    const { text } = await soakByTwo();
    const twice = text
      .split("\n")
      .flatMap((line) => (line.includes('"shard":{"index":0,"count":2}') ? [line, line] : [line]));
    const { findings } = resultOf(readRecording(twice.join("\n")));
    const verdicts = findings.map(({ verdict }) => verdict);
    expect(verdicts).not.toContain("kept");
    expect(verdicts).not.toContain("broken");
  });
});

describe("a virtual user that begins late", () => {
  it("leaves out what is overdue, and says so", async () => {
    const { result } = await soak(2, { userStartsMs: [0, 20_000] });
    const verdicts = verdictsOf(result);
    expect(Object.values(verdicts)).not.toContain("broken");
    expect(verdicts["load.throughput"]).toBe("inconclusive");
    expect(verdicts["load.no-losses"]).toBe("kept");
  });

  it("withholds what the others saw where it never begins", async () => {
    const { result } = await soak(2, { userStartsMs: [0, Number.POSITIVE_INFINITY] });
    expect(new Set(Object.values(verdictsOf(result)))).toEqual(new Set(["inconclusive"]));
  });
});
