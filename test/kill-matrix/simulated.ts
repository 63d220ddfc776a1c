/** Judges a service in the simulation: real time, all scenarios, and seconds of processor time. */

import type { RunResult } from "../../contract/run/run-result.ts";
import { hashOf } from "../../simulation/chance.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { withLoadFor } from "../simulation/load-lasting.ts";
import type { Cell } from "./cells.ts";
import { cellName } from "./cells.ts";
import type { Condition } from "./condition.ts";

/** At time scale 1, as a service that is not embedded is judged. */
export const PROFILE = "standard";

export interface SimulatedCondition extends Omit<Condition, "timeScale" | "front"> {
  /** How long load is offered; left out: as long as to the embedded service in real time. */
  loadMs?: number;
}

export function judgeSimulated(condition: SimulatedCondition): Promise<RunResult> {
  const {
    variant,
    faults = [],
    choices = {},
    only,
    keys,
    seed = 1,
    loadMs,
    profile = PROFILE,
  } = condition;
  return simulateGate({
    seed,
    service: { variant, faults, choices },
    only,
    profile,
    target: (target) => ({
      ...withLoadFor(target, loadMs),
      keys: target.keys.filter(({ name }) => keys?.includes(name) ?? true),
    }),
  });
}

/** The cell's seed of that number: drawn by its name, so that a new cell moves no other. */
export function seedOf(cell: Cell, number: number): number {
  return hashOf(`${cellName(cell)} ${number}`);
}
