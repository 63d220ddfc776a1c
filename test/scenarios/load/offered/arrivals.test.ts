/** Parts and keys of a load's arrivals. */

import { describe, expect, it } from "vitest";
import type { LoadPart } from "../../../../contract/run/run-plan.ts";
import { arrivalsOf } from "../../../../scenarios/load/offered/arrivals.ts";
import { loadedKey } from "../sent.ts";

const KEYS = [loadedKey("fast", 16), loadedKey("medium", 3), loadedKey("slow", 1)];

function offered(weights: Partial<Record<LoadPart, number>>, jobs: number) {
  const parts = Object.entries(weights).map(([part, weight]) => ({
    part: part as LoadPart,
    worker: { id: part, input: {} },
    weight,
  }));
  const next = arrivalsOf({ mix: { parts, cancel: null, missing: [] }, keys: KEYS, jobs });
  return Array.from({ length: jobs }, () => next());
}

const count = (all: readonly unknown[], wanted: unknown) =>
  all.filter((each) => each === wanted).length;

describe("arrivals", () => {
  it("keep to the weights of parts and keys", () => {
    const keys = offered({ success: 3, list: 1 }, 400).map((each) => each?.key.name);
    const parts = offered({ success: 3, list: 1 }, 400).map((each) => each?.mixPart.part);
    expect([count(parts, "success"), count(parts, "list")]).toEqual([300, 100]);
    expect(KEYS.map(({ name }) => count(keys, name))).toEqual([320, 60, 20]);
  });

  it("bring jobs that are cancelled in groups, in each of which every key has its turn", () => {
    const all = offered({ success: 59, cancel: 1 }, 2_400);
    const parts = all.map((each) => (each?.mixPart.part === "cancel" ? "c" : "."));
    const groups = parts.join("").match(/c+/g) ?? [];
    expect(groups).toEqual(Array.from({ length: groups.length }, () => "ccccccc"));
    expect(groups.length).toBe(5);
    const cancelled = all.filter((each) => each?.mixPart.part === "cancel");
    const ofFirst = new Set(cancelled.slice(0, 7).map((each) => each?.key.name));
    expect(ofFirst.size).toBe(KEYS.length);
  });

  it.each([1, 4, 30])("bring them one by one or in few where there are %i jobs", (jobs) => {
    const parts = offered({ success: 1, cancel: 1 }, jobs).map((each) => each?.mixPart.part);
    expect(count(parts, "cancel")).toBeGreaterThanOrEqual(Math.floor(jobs / 2 / 2));
  });

  it("are nothing without a part or a key", () => {
    const none = { parts: [], cancel: null, missing: [] };
    expect(arrivalsOf({ mix: none, keys: KEYS, jobs: 10 })()).toBeNull();
  });

  it("may all be cancelled", () => {
    const parts = offered({ cancel: 1 }, 20).map((each) => each?.mixPart.part);
    expect(count(parts, "cancel")).toBe(20);
  });
});
