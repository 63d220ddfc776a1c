/** Code of scenarios meets no more in the simulation than in k6. */

import { describe, expect, it } from "vitest";
import { loadAsK6 } from "../../../simulation/k6-context.ts";
import { startK6 } from "../../../simulation/k6-process.ts";
import { IDLE_MACHINE, Machine } from "../../../simulation/machine.ts";
import { VirtualClock } from "../../../simulation/virtual-clock.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import type * as Stray from "./stray-scenario.ts";
import type * as Strays from "./strays.ts";
import { strayMembers, strays } from "./strays.ts";

const loaded = loadAsK6<typeof Strays>("../test/simulation/k6/strays.ts");

describe("code that is run as k6 runs it", () => {
  it.each(Object.keys(strays) as (keyof typeof strays)[])("has no %s", async (name) => {
    const { strays } = await loaded;
    expect(strays[name]).toThrow(`${name} is not defined`);
  });

  it.each(Object.keys(strayMembers) as (keyof typeof strayMembers)[])(
    "has no member that only Node has: %s",
    async (name) => {
      const { strayMembers } = await loaded;
      expect(strayMembers[name]).toThrow("is not a function");
    },
  );

  it("has what k6 has", async () => {
    expect((await loaded).lawful()).toBe("[1,2,3]");
  });
});

describe("a scenario in the simulation", () => {
  it.each(["URL", "process"] as const)("that touches %s fails, and says so", async (name) => {
    const { runStray } = await loadAsK6<typeof Stray>("../test/simulation/k6/stray-scenario.ts");
    const clock = new VirtualClock(0);
    const { world, records } = startK6({
      machine: new Machine(clock, IDLE_MACHINE, () => 0.5),
      draw: () => 0.5,
      environment: new Map(),
      routes: new Map(),
      onRecord: () => {},
    });
    await clock.run(runStray(name, world, BASE_PLAN), 1_000);
    const told = JSON.stringify(records);
    expect(told).toContain(`the scenario failed: ${name} is not defined`);
  });
});
