/** Keys whose limits are of another size than the usual plans': custom ones may be. Spec §8. */

import { describe, expect, it } from "vitest";
import type { RateLimit } from "../../../contract/plans.ts";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import { createKeys } from "../../../reference/accounts/keys.ts";
import type { Choices } from "../../../reference/choices.ts";
import { IDLE_MACHINE } from "../../../simulation/machine.ts";
import type { Simulation } from "../../../simulation/simulated-gate.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { findingOf } from "../../contract/findings.ts";
import { drawnCases } from "../../drawn-cases.ts";

const HUGE = { sustained: 50_000, burst: 100_000 };
const IDS = ["rate.limited", "rate.sustained", "rate.burst", "rate.all-endpoints"] as const;

const isBig = (name: string) => name.startsWith("big");

/** The rate promises, with those limits declared of some keys. */
function judgedWith(limits: RateLimit, isOfThem: (name: string) => boolean) {
  return simulateGate({
    seed: 7,
    only: [...IDS],
    target: (target) => ({
      ...target,
      keys: target.keys.map((key) => (isOfThem(key.name) ? { ...key, ...limits } : key)),
    }),
  });
}

it("leaves a key alone that no generator can exceed, and judges the others", async () => {
  const { findings, notes } = await judgedWith(HUGE, isBig);
  for (const id of IDS) {
    const found = findingOf(findings, id);
    expect(found.verdict, `${id}: ${found.summary}`).toBe("kept");
    expect(found.strength?.notTried).toContain("the limits of big-b");
    expect(found.summary).toContain("free-a");
  }
  expect(notes.join("\n")).toContain("the limits of big-b are more than one generator can exceed");
});

it("says why nothing was looked at where all keys are of that kind", async () => {
  const { findings } = await judgedWith(HUGE, () => true);
  for (const id of IDS) {
    expect(findingOf(findings, id)).toMatchObject({
      verdict: "unobserved",
      reason: "no key has limits that one generator can exceed",
    });
  }
});

/** More than is sent at once, and than an overload exceeds by much. */
const STRONG = { sustained: 600, burst: 1_200 };
/** As strong as a plan for which the scenario is made. */
const STRONGEST = { sustained: 5_000, burst: 10_000 };
const LIMITERS = ["token-bucket", "sliding-counter"] as const;
const BIG = "big";
const SMALL = ["pro-c", "free-a"];
const RATE_IDS = PROMISE_IDS.filter((id) => id.startsWith("rate."));

/** A service with one strong key, and the target with that key and others. */
function judgedStrong(
  others: readonly string[],
  change: Partial<Simulation> = {},
  limits: RateLimit = STRONG,
) {
  const seed = 7;
  return simulateGate({
    seed,
    keys: createKeys(seed).map((key) => (key.name === "big" ? { ...key, ...limits } : key)),
    only: RATE_IDS,
    target: (target) => ({
      ...target,
      keys: target.keys.filter(({ name }) => [BIG, ...others].includes(name)),
    }),
    ...change,
  });
}

describe("a key that takes most of what a generator sends", () => {
  it.each(drawnCases("limiters", LIMITERS, 2))("is measured: %s", async (limiter) => {
    const { findings, measurements } = await judgedStrong(SMALL, {
      service: { choices: { limiter } },
    });
    const asked = findings.filter(({ promise }) => RATE_IDS.includes(promise));
    expect(asked.filter(({ verdict }) => verdict !== "kept")).toEqual([]);
    const keys = measurements.rate as unknown as { key: string; sustained: { value: number } }[];
    expect(keys.map(({ key }) => key)).toContain("free-a");
    const rate = keys.find(({ key }) => key === BIG)?.sustained.value;
    expect(rate).toBeGreaterThan(STRONG.sustained * 0.99);
    expect(rate).toBeLessThan(STRONG.sustained * 1.01);
  });

  const wrong = [
    ["rate.limited", "never"],
    ["rate.sustained", "8-percent-over"],
    ["rate.sustained", "8-percent-under"],
    ["rate.within-plan", "8-percent-under"],
  ] as const;
  it.each(drawnCases("wrong", wrong, 2))("is called broken by itself: %s, %s", async (id, name) => {
    const of = id === "rate.within-plan" ? "rate.sustained" : id;
    const faults = [`${of}/${name}`];
    const { findings } = await judgedStrong([], { only: [id], service: { faults } });
    const found = findingOf(findings, id);
    expect([found.verdict, found.summary]).toEqual(["broken", expect.stringContaining(BIG)]);
  });

  it("is measured at 5,000 requests a second and bursts of 10,000", async () => {
    const only = ["rate.limited", "rate.sustained", "rate.burst"] as const;
    const { findings, measurements } = await judgedStrong([], { only: [...only] }, STRONGEST);
    const asked = findings.filter(({ promise }) => only.some((id) => id === promise));
    expect(asked.map(({ verdict }) => verdict)).toEqual(["kept", "kept", "kept"]);
    const keys = measurements.rate as unknown as { key: string; sustained: { value: number } }[];
    const rate = keys.find(({ key }) => key === BIG)?.sustained.value;
    expect(rate).toBeGreaterThan(STRONGEST.sustained * 0.98);
    expect(rate).toBeLessThan(STRONGEST.sustained * 1.02);
  });

  it("is in doubt by itself on a machine too slow for it, and touches no other key", async () => {
    const surroundings = { ...SURROUNDINGS.quiet, suite: { ...IDLE_MACHINE, slowness: 4 } };
    const { findings, notes } = await judgedStrong(SMALL, { surroundings }, STRONGEST);
    expect(notes.join("\n")).toMatch(
      /the limits of big are in doubt: this machine offers about \d+ requests\/s to it/,
    );
    for (const id of ["rate.sustained", "rate.burst"]) {
      const found = findingOf(findings, id);
      expect(found.verdict, `${id}: ${found.summary}`).toBe("kept");
      expect(found.strength?.notTried).toContain("the limits of big");
      expect(found.summary).toContain("free-a");
    }
  });

  it("is in doubt where there is no other", async () => {
    const surroundings = { ...SURROUNDINGS.quiet, suite: { ...IDLE_MACHINE, slowness: 4 } };
    const { findings } = await judgedStrong([], { surroundings }, STRONGEST);
    const found = findingOf(findings, "rate.sustained");
    expect(found.verdict).toBe("inconclusive");
  });

  it("is left alone in quick, and takes no time from the others", async () => {
    const { findings, notes } = await judgedStrong(SMALL, { profile: "quick" });
    expect(notes).toContain(
      "the limits of big take more time than the profile quick has: not tried",
    );
    const found = findingOf(findings, "rate.sustained");
    expect([found.verdict, found.summary]).toEqual(["kept", expect.stringContaining("free-a")]);
  });
});

/** As a quota of an hour: no run waits until it is whole again. */
const HOURLY = { sustained: 0.25, burst: 900 };
/** Ours: k6 stops a scenario that takes longer, and nothing of it is judged. */
const SECONDS_MAX = 1_100;

it("leaves a key alone whose limits take too long to be forgotten", async () => {
  const { findings, notes, startedAtMs, finishedAtMs } = await judgedWith(HOURLY, isBig);
  for (const id of IDS) {
    const found = findingOf(findings, id);
    expect(found.verdict, `${id}: ${found.summary}`).toBe("kept");
    expect(found.strength?.notTried).toContain("the limits of big");
    expect(found.summary).toContain("free-a");
  }
  expect(notes.join("\n")).toContain("the limits of big take longer to be forgotten");
  expect(finishedAtMs - startedAtMs).toBeLessThan(SECONDS_MAX * 1_000);
});

it("measures keys that take from each other one by one, as long as there is time", async () => {
  const [seed, slow] = [7, { plan: "enterprise" as const, sustained: 10, burst: 400 }];
  const keys = createKeys(seed).map((key) => (key.state === "active" ? { ...key, ...slow } : key));
  const { findings, notes, startedAtMs, finishedAtMs } = await simulateGate({
    seed,
    keys,
    service: { seed, faults: ["rate.per-key/shared-by-plan"] },
    only: ["rate.per-key", ...IDS],
  });
  expect(findingOf(findings, "rate.per-key").verdict).toBe("broken");
  expect(findingOf(findings, "rate.sustained").verdict).toBe("kept");
  expect(notes.join("\n")).toMatch(
    /the limits of [a-z]+-[a-e] were not measured: no time was left/,
  );
  expect(finishedAtMs - startedAtMs).toBeLessThan(SECONDS_MAX * 1_000);
});

/** A window of a minute, longer than any overload; and bursts in which a request is much. */
const SIZES = [
  [10, 600, "aligned-window", "standard", 2],
  [10, 600, "aligned-window", "standard", 3],
  [10, 150, "fixed-window", "standard", 2],
  [2, 2, "fixed-window", "quick", 1],
] as const satisfies readonly (readonly [number, number, Choices["limiter"], string, number])[];

describe("a service that keeps custom limits", () => {
  it.each(drawnCases("sizes", SIZES, 2))(
    "is not called broken: %d/s, bursts of %d, %s",
    async (...row) => {
      const [sustained, burst, limiter, profile, seed] = row;
      const keys = createKeys(seed).map((key) =>
        key.plan === "free" && key.state === "active"
          ? { ...key, plan: "enterprise" as const, sustained, burst }
          : key,
      );
      const only = PROMISE_IDS.filter((id) => id.startsWith("rate."));
      const service = { seed, choices: { limiter } };
      const { findings } = await simulateGate({ seed, keys, service, profile, only });
      expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
    },
  );
});
