/**
 * What ran before a soak may be charged while it lasts: that is no fault of the soak's ledger, and
 * the question is asked again when nothing ran before.
 */

import { expect, it } from "vitest";
import type { Simulation } from "../../simulation/simulated-gate.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";
import { TELLING_LOAD_MS, withLoadFor } from "./load-lasting.ts";

async function accountingOf(simulation: Simulation) {
  const target: Simulation["target"] = (described) => withLoadFor(described, TELLING_LOAD_MS);
  const { findings } = await simulateGate({ ...simulation, target });
  return findingOf(findings, "load.accounting");
}

/** Of each some jobs of the first scenarios end just before the soak: which ones is chance. */
it.each(drawnCases("late", [15, 16, 17], 3))(
  "charges that are booked late break nothing (seed %i)",
  async (seed) => {
    const found = await accountingOf({
      seed,
      profile: "standard",
      surroundings: SURROUNDINGS.office,
      service: { variant: "A", choices: { charge: "end", storedAfter: "1.5", balanceAfter: "3" } },
    });
    expect(found.verdict, found.summary).toBe("kept");
  },
);

it("a balance that falls too fast is broken all the same, in a gate of all promises", async () => {
  const found = await accountingOf({
    seed: 3,
    profile: "standard",
    service: { variant: "A", faults: ["load.accounting/1-percent-more"] },
  });
  expect(found.verdict).toBe("broken");
});

/** Its first jobs may explain a part of what it lacks: by chance that is enough in some runs. */
it("1 job in 20 charged twice is broken on an account on which others ran before", async () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const found = await accountingOf({
      seed,
      profile: "quick",
      service: { variant: "A", faults: ["load.accounting/charged-twice"] },
    });
    if (found.verdict === "broken" && found.summary.includes("one: credits.balance")) return;
  }
  expect.unreachable("of eight runs none names the account");
});

/** Prices are held from the submission on, and what a run really cost is booked 3 s after it. */
const HELD = { charge: "hold", costBy: "time", balanceAfter: "3", balanceUnit: "tokens" } as const;

it.each([
  ["quiet", [], "kept"],
  ["storm", [], "kept"],
  ["quiet", ["load.accounting/charged-twice"], "broken"],
] as const)(
  "the unit of a balance is told by what is booked, not by what is held: %s, %s",
  async (world, faults, verdict) => {
    const found = await accountingOf({
      seed: 2,
      profile: "quick",
      only: ["load.accounting"],
      surroundings: SURROUNDINGS[world],
      service: { variant: "B", choices: HELD, faults },
    });
    expect(found.verdict, found.summary).toBe(verdict);
  },
);

it.each([
  ["usd", "cents", "kept"],
  ["tokens", "whole ones", "kept"],
] as const)(
  "a balance in %s that is rounded to %s is no doubt",
  async (balanceUnit, _, verdict) => {
    const found = await accountingOf({
      seed: 48,
      profile: "standard",
      only: ["load.accounting"],
      service: { variant: "A", choices: { balanceUnit, balanceDigits: "coarse" } },
    });
    expect(found.verdict, found.summary).toBe(verdict);
  },
);

it("a job that tells a unit is waited for where charges are booked once a minute", async () => {
  const { findings, notes } = await simulateGate({
    seed: 14,
    profile: "standard",
    only: ["load.accounting", "load.no-losses"],
    service: { variant: "A", choices: { booked: "each-minute", balanceUnit: "tokens" } },
    target: (described) => withLoadFor(described, TELLING_LOAD_MS),
  });
  const found = findingOf(findings, "load.accounting");
  expect(found.verdict, found.summary).toBe("kept");
  expect(notes.filter((note) => note.includes("repeated"))).toEqual([]);
});

/** Each minute; how long a load lasts, how many generators share it, and the verdict. */
it.each([
  ["by its own last booking, to two generators", 60_000, 2, [], "kept"],
  ["by many bookings", 480_000, 1, ["load.accounting/each-charged-twice"], "broken"],
] as const)(
  "what is booked together is told %s",
  async (_, durationMs, shards, faults, verdict) => {
    const { findings } = await simulateGate({
      seed: 5,
      profile: "soak",
      only: ["load.accounting", "load.no-losses"],
      service: { variant: "A", choices: { booked: "each-minute" }, faults },
      target: ({ load, ...described }) => ({
        ...described,
        load: load === null ? null : { ...load, jobsPerSecond: 12, durationMs, shards },
      }),
    });
    const found = findingOf(findings, "load.accounting");
    expect(found.verdict, found.summary).toBe(verdict);
  },
);

it.each([
  ["each minute, after others ran", "standard", 1, "each-minute", ["timeout.free"]],
  ["each 10 s, after others ran", "standard", 1, "each-10-s", ["timeout.free"]],
  ["each 10 s, in short", "quick", 1, "each-10-s", []],
  ["each 10 s, seen by two generators", "soak", 2, "each-10-s", []],
] as const)("charges are booked %s: asked once", async (_, profile, shards, booked, others) => {
  const { findings, notes } = await simulateGate({
    seed: 5,
    profile,
    only: ["load.accounting", "load.no-losses", ...others],
    service: { variant: "A", choices: { booked } },
    target: ({ load, ...described }) => ({
      ...described,
      load: load === null ? null : { ...load, durationMs: TELLING_LOAD_MS, shards },
    }),
  });
  const found = findingOf(findings, "load.accounting");
  expect(found.verdict, found.summary).toBe("kept");
  expect(notes.filter((note) => note.includes("repeated"))).toEqual([]);
});

/** At one offset jobs of known cost are charged at once, and those that time out 10 s later. */
it.each([
  ["timeouts take 1 %, booked after a known job", 0, ["timeout.free/on-the-balance"], "broken"],
  ["timeouts take 1 %, a known job nothing late", 6_250, ["timeout.free/on-the-balance"], "broken"],
  ["timeouts take nothing", 0, [], "kept"],
] as const)("%s, charges booked each 10 s", async (_, clockOffsetMs, faults, verdict) => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "standard",
    only: ["timeout.free"],
    surroundings: { ...SURROUNDINGS.quiet, clockOffsetMs },
    service: { variant: "A", choices: { booked: "each-10-s" }, faults },
  });
  const found = findingOf(findings, "timeout.free");
  expect(found.verdict, found.summary).toBe(verdict);
});
