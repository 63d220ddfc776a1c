/**
 * What once left a healthy service in doubt, or had it called broken: half of it again, by its
 * seed. Those that draw all their choices are among the runs of `worlds.test.ts`, asserted there.
 */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { Choices } from "../../reference/choices.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import type { SurroundingsName } from "../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";

interface Case {
  title: string;
  world: SurroundingsName;
  seed: number;
  promise: PromiseId;
  choices: Partial<Choices>;
}

const COUNTS = { refusedCount: "yes" } as const;

const CASES: readonly Case[] = [
  {
    title: "jobs of another scenario that are charged at their end",
    world: "office",
    seed: 6,
    promise: "load.accounting",
    choices: { payments: "no" },
  },
  {
    title: "a long job that the system cancels",
    world: "quiet",
    seed: 23,
    promise: "submit.asynchronous",
    choices: { systemCancels: "every-89th" },
  },
  {
    title: "windows that each round of submissions meets at the same moment",
    world: "far",
    seed: 5,
    promise: "rate.rejected-not-run",
    choices: { limiter: "aligned-window" },
  },
  {
    title: "a bucket that counts refused requests",
    world: "quiet",
    seed: 1,
    promise: "rate.sustained",
    choices: { ...COUNTS, limiter: "token-bucket" },
  },
  {
    title: "a log that counts refused requests",
    world: "quiet",
    seed: 1,
    promise: "rate.sustained",
    choices: { ...COUNTS, limiter: "sliding-log" },
  },
  {
    title: "a sliding counter that counts refused requests",
    world: "quiet",
    seed: 1,
    promise: "rate.sustained",
    choices: { ...COUNTS, limiter: "sliding-counter" },
  },
];

/** Limits are measured by a scenario of their own; of all else, the whole gate is a part. */
function askedFor(promise: PromiseId): readonly PromiseId[] | null {
  return groupOf(promise) === "rate" ? PROMISE_IDS.filter((id) => groupOf(id) === "rate") : null;
}

describe("a healthy service is kept despite", () => {
  it.each(drawnCases("doubts", CASES, 2))(
    "$title: $promise",
    async ({ world, seed, promise, choices }) => {
      const healthy = healthyService(seed);
      const result = await simulateGate({
        seed,
        surroundings: SURROUNDINGS[world],
        only: askedFor(promise),
        service: { ...healthy, choices: { ...healthy.choices, ...choices } },
      });
      const finding = findingOf(result.findings, promise);
      expect([finding.verdict, finding.summary]).toEqual(["kept", finding.summary]);
    },
  );
});
