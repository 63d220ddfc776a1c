/** Work that a service's texts may make endless is stopped, but not for the machine's sake. */

import { expect, it } from "vitest";
import { withinTime } from "../../gate/within-time.ts";

const LIMIT_MS = 60;

function busyFor(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  let used = 0;
  while (used < ms) {
    const now = process.threadCpuUsage();
    used = (now.user + now.system - user - system) / 1_000;
  }
}

function stillFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("returns what the work returns", () => {
  expect(withinTime(LIMIT_MS, () => 3)).toEqual({ value: 3 });
});

it("stops work that runs for longer", () => {
  let isDone = false;
  const work = () => {
    busyFor(20 * LIMIT_MS);
    isDone = true;
  };
  expect(withinTime(LIMIT_MS, work)).toBeNull();
  expect(isDone).toBe(false);
});

it("begins again what the machine did not let run", () => {
  let begun = 0;
  const work = () => {
    begun += 1;
    if (begun === 1) stillFor(20 * LIMIT_MS);
    return begun;
  };
  expect(withinTime(LIMIT_MS, work)).toEqual({ value: 2 });
});

it("throws what the work throws", () => {
  const work = () => {
    throw new Error("the work's own");
  };
  expect(() => withinTime(LIMIT_MS, work)).toThrow("the work's own");
});
