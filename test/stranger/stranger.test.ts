/**
 * What the suite says of a service that shares no line with the reference one: nothing against it
 * while it is whole, whatever it chooses, and each fault by the name of a promise that it breaks.
 */

import { describe, expect, it } from "vitest";
import { VARIANTS } from "../../contract/states.ts";
import { hashOf, stream } from "../../simulation/chance.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { strangerIn } from "./open-stranger.ts";
import { drawChoices } from "./service/choices.ts";
import type { StrangerFault } from "./service/faults/fault.ts";
import { STRANGER_FAULTS } from "./service/faults/index.ts";

/** Ours: as many as the time of the tests has room for. */
const SEEDS = [1, 2, 3, 4, 5, 6];

describe.each(VARIANTS)("a stranger that is whole, variant %s", (variant) => {
  it.each(SEEDS)("is not called broken, with the choices of seed %i", async (seed) => {
    const choices = drawChoices(stream(seed, `choices ${variant}`));
    const openService = strangerIn({ variant, choices, faults: [] });
    const { findings } = await simulateGate({ seed, openService });
    const broken = findings.filter(({ verdict }) => verdict === "broken");
    expect({ choices, broken }).toEqual({ choices, broken: [] });
  });
});

const FAULTS = Object.entries<StrangerFault>(STRANGER_FAULTS);

/** A load takes ten times as long as the rest: only where nothing else shows the fault. */
function askedFor({ breaks, askedWith = [] }: StrangerFault) {
  const quick = breaks.filter((promise) => !promise.startsWith("load."));
  return [...(quick.length > 0 ? quick : breaks), ...askedWith];
}

describe("a fault of the stranger's is named", () => {
  it.each(FAULTS.filter(([, { missed }]) => missed === undefined))("%s", async (name, fault) => {
    const variant = fault.variant ?? (hashOf(name) % 2 === 0 ? "A" : "B");
    const openService = strangerIn({ variant, choices: fault.choices ?? [], faults: [name] });
    const { findings } = await simulateGate({ seed: 1, openService, only: askedFor(fault) });
    const broken = findings.filter(({ verdict }) => verdict === "broken");
    const names = broken.map(({ promise }) => promise);
    expect(names.filter((promise) => fault.breaks.includes(promise))).not.toEqual([]);
  });
});
