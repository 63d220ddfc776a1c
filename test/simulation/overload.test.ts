/** A load that this machine can't carry ends on time, says so early, and breaks no promise. */

import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { readRecording } from "../../gate/recording.ts";
import { createKeys } from "../../reference/accounts/keys.ts";
import { IDLE_MACHINE } from "../../simulation/machine.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { findingOf } from "../contract/findings.ts";

const ASKED = 400;
const DURATION_MS = 8_000;
const OBJECTIVES = {
  throughputShare: 0.95,
  submitP99Ms: 500,
  queueWaitP99Ms: 5_000,
  errorShare: 0,
  driftShare: 0.5,
};

interface Ran {
  result: RunResult;
  progress: readonly string[];
  seconds: number;
}

/** A soak of far more than a slow machine offers; the service keeps up with all of it. */
async function soakOn(slowness: number): Promise<Ran> {
  const [seed, limit] = [3, { sustained: 20_000, burst: 40_000 }];
  const isBig = ({ name }: { name: string }) => name === "big";
  let text = "";
  const result = await simulateGate({
    seed,
    profile: "soak",
    service: { seed, slots: { echo: ASKED } },
    only: PROMISE_IDS.filter((id) => id.startsWith("load.")),
    surroundings: { ...SURROUNDINGS.quiet, suite: { ...IDLE_MACHINE, slowness } },
    keys: createKeys(seed).map((key) => (isBig(key) ? { ...key, ...limit } : key)),
    target: ({ load, keys, ...target }) => ({
      ...target,
      keys: keys.map((key) => (isBig(key) ? { ...key, ...limit } : key)),
      load: load && {
        ...load,
        // In two shards, as the machine of the simulation is one that runs k6.
        generator: "k6",
        jobsPerSecond: ASKED,
        durationMs: DURATION_MS,
        mix: { success: 1 },
        objectives: OBJECTIVES,
      },
    }),
    record: async (lines) => {
      text += lines;
    },
  });
  const [run] = readRecording(text).runs;
  const progress = run?.raw.flatMap((each) => (each.type === "progress" ? [each.text] : [])) ?? [];
  return { result, progress, seconds: (result.finishedAtMs - result.startedAtMs) / 1_000 };
}

const verdictsOf = ({ findings }: RunResult) =>
  Object.fromEntries(findings.map(({ promise, verdict }) => [promise, verdict]));

describe("a machine that is too slow for its load", () => {
  const made = Promise.all([soakOn(1), soakOn(30)]);

  it("learns of it before the load, and offers no more than it was found to", async () => {
    const [able, slow] = await made;
    expect(able.result.notes.join("\n")).not.toContain("this machine offers");
    const notes = slow.result.notes.join("\n");
    const [, most] =
      /this machine offers (\d+) jobs\/s at the most, .*; asked 400/.exec(notes) ?? [];
    const [, offered] = /this machine offers about (\d+) jobs\/s; asked 400/.exec(notes) ?? [];
    expect(Number(most)).toBeLessThan(ASKED * 0.95);
    expect(Number(offered)).toBeLessThanOrEqual(Number(most));
  });

  it("says so within five seconds, counts what it drops, and ends on time", async () => {
    const [able, slow] = await made;
    const at = slow.progress.findIndex((text) => text.includes("this machine is too slow"));
    const seconds = slow.progress.findIndex((text) => text.includes(": 5 of 8 s"));
    expect(at).toBeGreaterThan(-1);
    expect(at).toBeLessThan(seconds);
    expect(slow.progress.join("\n")).toMatch(/waiting, \d+ dropped/);
    expect(able.progress.join("\n")).not.toContain("too slow");
    expect(slow.seconds).toBeLessThan(able.seconds + 5);
  });

  it("breaks nothing, and takes its figures for no measure of the service", async () => {
    const [able, slow] = await made;
    expect(Object.values(verdictsOf(slow.result))).not.toContain("broken");
    expect(verdictsOf(slow.result)).toMatchObject({
      "load.throughput": "inconclusive",
      "load.latency": "inconclusive",
      "load.no-losses": "kept",
    });
    expect(verdictsOf(able.result)["load.throughput"]).toBe("kept");
  });
});

it("uses up a key whose burst it sends so slowly that the key earns it anew", async () => {
  const result = await simulateGate({
    seed: 1,
    profile: "quick",
    service: { variant: "A" },
    only: ["rate.per-key"],
    surroundings: { ...SURROUNDINGS.quiet, suite: { ...IDLE_MACHINE, slowness: 40, waitMs: 5 } },
    target: ({ keys, ...target }) => {
      const chosen = keys.filter(({ name }) => name === "pro-b" || name === "free-a");
      return { ...target, load: null, keys: chosen };
    },
  });
  expect(findingOf(result.findings, "rate.per-key").verdict).toBe("kept");
});
