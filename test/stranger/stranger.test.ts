/**
 * What the suite says of a service that shares no line with the reference one: nothing against it
 * while it is whole, whatever it chooses, and each fault by the name of a promise that it breaks.
 */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import { VARIANTS } from "../../contract/states.ts";
import type { Target } from "../../contract/target.ts";
import { hashOf, stream } from "../../simulation/chance.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { drawnCases } from "../drawn-cases.ts";
import { strangerIn } from "./open-stranger.ts";
import { drawChoices } from "./service/choices.ts";
import type { StrangerFault } from "./service/faults/fault.ts";
import { STRANGER_FAULTS } from "./service/faults/index.ts";

/** Ours: as many as the time of the tests has room for. */
const SEEDS = [1, 2];

describe.each(VARIANTS)("a stranger that is whole, variant %s", (variant) => {
  it.each(drawnCases(variant, SEEDS, 2))(
    "is not called broken, with the choices of seed %i",
    async (seed) => {
      const choices = drawChoices(stream(seed, `choices ${variant}`));
      const openService = strangerIn({ variant, choices, faults: [] });
      const { findings } = await simulateGate({ seed, openService });
      const broken = findings.filter(({ verdict }) => verdict === "broken");
      expect({ choices, broken }).toEqual({ choices, broken: [] });
    },
  );
});

/** A load takes ten times as long as the rest: only where nothing else shows the fault. */
function askedFor({ breaks, askedWith = [] }: StrangerFault) {
  if (askedWith === "all") return null;
  const quick = breaks.filter((promise) => !promise.startsWith("load."));
  return [...(quick.length > 0 ? quick : breaks), ...askedWith];
}

/** Keys of strong plans take most requests: left out where a limit of others shows it. */
function keysFor({ keys, ...target }: Target, only: readonly PromiseId[] | null): Target {
  const isOfOneKey = (promise: PromiseId) =>
    groupOf(promise) === "rate" && promise !== "rate.per-key";
  const areWeakEnough = only?.every(isOfOneKey) === true;
  return { ...target, keys: keys.filter(({ plan }) => !areWeakEnough || plan !== "enterprise") };
}

/** Promises of the fault's own that are called broken. */
async function namedBy(name: string, fault: StrangerFault) {
  const variant = fault.variant ?? (hashOf(name) % 2 === 0 ? "A" : "B");
  const openService = strangerIn({ variant, choices: fault.choices ?? [], faults: [name] });
  const only = askedFor(fault);
  const target = (described: Target) => keysFor(described, only);
  const { findings } = await simulateGate({ seed: 1, openService, only, target });
  return findings
    .filter(({ verdict, promise }) => verdict === "broken" && fault.breaks.includes(promise))
    .map(({ promise }) => promise);
}

const FAULTS = Object.entries<StrangerFault>(STRANGER_FAULTS);
const NAMED = FAULTS.filter(([, { missed }]) => missed === undefined);
const MISSED = FAULTS.filter(([, { missed }]) => missed !== undefined);

describe("a fault of the stranger's", () => {
  it.each(drawnCases("named", NAMED, 3))("is named: %s", async (name, fault) => {
    expect(await namedBy(name, fault)).not.toEqual([]);
  });

  it.each(drawnCases("missed", MISSED, 2))(
    "is said to be missed only where it is: %s",
    async (name, fault) => {
      expect(await namedBy(name, fault)).toEqual([]);
    },
  );
});
