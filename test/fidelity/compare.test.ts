/** The comparison of real and simulated runs can fail, and the draw goes by a text. */

import { describe, expect, it } from "vitest";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { ALONE, BESIDE, drawnCells, faultNamed } from "./cells.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import { simulate } from "./simulate.ts";

const HEALTHY = { variant: "A", only: ["webhook.wait-2", "webhook.delivered"] } as const;
const LIMITS = { variant: "A", only: ["rate.sustained"], keys: ["free-a", "free-b"] } as const;
const EARLY = faultNamed("webhook.wait-2/3-s-early");
const ALONE_AND_WELL = { fault: null, isAlone: true };

/** The result with one thing other than it was, wherever the name stands. */
function changed(result: RunResult, name: string, value: (old: unknown) => unknown): RunResult {
  const text = JSON.stringify(result, (key, old: unknown) => (key === name ? value(old) : old));
  return JSON.parse(text) as RunResult;
}

function empty({ contradictions, doubts, figures }: Comparison): boolean {
  return contradictions.length + doubts.length + figures.length === 0;
}

/** Of waits, as "4998 to 5003 ms" and "5000 ms": others that were measured are numbers. */
const plus = (more: number) => (old: unknown) =>
  Array.isArray(old) ? old.map((each: unknown) => moved(each, more)) : old;

function moved(each: unknown, more: number): unknown {
  if (typeof each !== "string") return each;
  return each.replace(/\d+/g, (ms) => String(Number(ms) + more));
}

describe("a real run and its simulation", () => {
  it("are alike where nothing differs", async () => {
    const result = await simulate(HEALTHY);
    expect(empty(compare(result, result, ALONE_AND_WELL))).toBe(true);
  });

  it("contradict each other where one calls broken what the other keeps", async () => {
    const simulated = await simulate(HEALTHY);
    const real = await simulate({ ...HEALTHY, faults: [EARLY.name] });
    for (const [one, other] of [
      [real, simulated],
      [simulated, real],
    ] as const) {
      const { contradictions } = compare(one, other, { fault: EARLY, isAlone: false });
      expect(contradictions).toEqual([expect.stringContaining("webhook.wait-2 is")]);
    }
  });

  it("may differ in what breaks lawfully with the fault, and in nothing else", async () => {
    const kept = await simulate(LIMITS);
    const broken = changed(kept, "verdict", (old) => (old === "kept" ? "broken" : old));
    const contradictionsWith = (fault: Fault | null) =>
      compare(broken, kept, { fault, isAlone: false }).contradictions;
    expect(contradictionsWith(faultNamed("rate.within-plan/half-a-connection"))).toEqual([]);
    expect(contradictionsWith(faultNamed("rate.within-plan/near-replicas-in-turn"))).toHaveLength(
      1,
    );
    expect(contradictionsWith(EARLY)).toHaveLength(1);
    expect(contradictionsWith(null)).toHaveLength(1);
  });

  it("may spend other jobs only where a doubt was asked again", async () => {
    const simulated = await simulate(HEALTHY);
    const dearer = changed(simulated, "spent", withJobs(25));
    const asked = changed(dearer, "evidence", (old) => ({
      ...(old as object),
      inDoubtAtFirst: "",
    }));
    const figuresOf = (real: RunResult) => compare(real, simulated, ALONE_AND_WELL).figures;
    expect(figuresOf(dearer)).toHaveLength(1);
    expect(figuresOf(asked)).toEqual([]);
  });

  it.each(["inconclusive", "unobserved"])("leave what is %s in one a doubt", async (verdict) => {
    const well = await simulate(HEALTHY);
    const open = changed(well, "verdict", (old) => (old === "kept" ? verdict : old));
    for (const [real, simulated] of [
      [open, well],
      [well, open],
    ] as const) {
      const { contradictions, doubts } = compare(real, simulated, ALONE_AND_WELL);
      expect([contradictions.length, doubts.length]).toEqual([0, 2]);
    }
  });

  it("contradict each other where k6 calls broken what the simulation leaves open", async () => {
    const well = await simulate(HEALTHY);
    const [broken, open] = ["broken", "unobserved"].map((verdict) => {
      return changed(well, "verdict", (old) => (old === "kept" ? verdict : old));
    }) as [RunResult, RunResult];
    const found = compare(broken, open, { fault: null, isAlone: false });
    expect([found.contradictions.length, found.doubts.length]).toEqual([2, 0]);
    const ofFault = compare(broken, open, { fault: EARLY, isAlone: false });
    expect(ofFault.contradictions).toHaveLength(1);
    expect(ofFault.doubts).toEqual([expect.stringContaining("webhook.wait-2 is broken in k6")]);
  });

  it.each([
    ["waits 60 ms longer", HEALTHY, "measured", plus(60), 1],
    ["waits 40 ms longer", HEALTHY, "measured", plus(40), 0],
    ["one job more", HEALTHY, "spent", (old: unknown) => ({ ...(old as object), jobs: 1 }), 1],
    ["a second burst", HEALTHY, "spent", withJobs(24), 0],
    ["one job more than it", HEALTHY, "spent", withJobs(25), 1],
    ["1 % more a second", LIMITS, "sustained", scaledBy(1.01), 2],
    ["0.3 % more a second", LIMITS, "sustained", scaledBy(1.003), 0],
    ["bursts of two more", LIMITS, "burst", moreBy(2), 2],
    ["bursts of one more", LIMITS, "burst", moreBy(1), 0],
  ])("differ in their figures or not: %s", async (_what, condition, name, value, count) => {
    const simulated = await simulate(condition);
    const { figures } = compare(changed(simulated, name, value), simulated, ALONE_AND_WELL);
    expect(figures).toHaveLength(count);
  });
});

function withJobs(more: number) {
  return (old: unknown) => {
    const spent = old as { jobs: number };
    return { ...spent, jobs: spent.jobs + more };
  };
}

function scaledBy(factor: number) {
  return (old: unknown) => onValue(old, (value) => value * factor);
}

function moreBy(count: number) {
  return (old: unknown) => onValue(old, (value) => value + count);
}

/** Of the measurement alone, with its interval: declared limits are plain numbers. */
function onValue(old: unknown, change: (value: number) => number): unknown {
  if (typeof old !== "object" || old === null || !("value" in old)) return old;
  const interval = old as { value: number; low: number; high: number | null };
  const { value, low, high } = interval;
  return { value: change(value), low: change(low), high: high === null ? null : change(high) };
}

describe("the draw", () => {
  const titles = (text: string) => drawnCells(text, 12).map(({ title }) => title);

  it("is the same for one text, and another one for another", () => {
    expect(titles("one")).toEqual(titles("one"));
    expect(titles("one")).not.toEqual(titles("other"));
  });

  it("takes no cell twice, and none of the fixed ones", () => {
    const all = [...ALONE, ...BESIDE].map(({ title }) => title).concat(titles("one"));
    expect(new Set(all).size).toBe(23);
  });

  it("leaves out what a run in scaled time may not live to see", () => {
    const all = drawnCells("one", Number.POSITIVE_INFINITY).map(({ title }) => title);
    expect(all).toContain("job.terminal-final/cost-grows B");
    expect(all).not.toContain("job.terminal-final/timeout-becomes-failed B");
    expect(all).not.toContain("job.never-lost/failed-vanishes A");
  });
});
