/** A seed stands for one run, byte for byte: here after others, and in a process of its own. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunResult } from "../../contract/run/run-result.ts";
import { promisesWith } from "../contract/findings.ts";
import { TELLING_LOAD_MS } from "../simulation/load-lasting.ts";
import { cellsMatching } from "./cells.ts";
import { groupPromises } from "./expectation.ts";
import type { Judged } from "./judges.ts";
import { openJudges } from "./judges.ts";
import type { SimulatedCondition } from "./simulated.ts";
import { judgeSimulated, seedOf } from "./simulated.ts";

/**
 * Faults of chance and of times: what would show a clock or a chance that is not given. The first
 * is judged on all promises, the others on those of their group.
 */
const ON_ALL = "webhook.wait-2/3-s-early B";
const CELLS = [ON_ALL, "rate.burst/3-over A", "load.no-losses/1-in-200 B"];

describe("a cell", () => {
  const judges = openJudges("simulated", 1);
  afterAll(() => judges.close());
  // In another order there: what one run leaves behind in a process would show.
  const elsewhere = new Map<string, Promise<Judged>>();
  beforeAll(() => {
    for (const name of CELLS.toReversed()) elsewhere.set(name, judges.judge(conditionOf(name)));
  });

  it.each(CELLS)("gives the same findings in each process: %s", async (name) => {
    const here = await judgeSimulated(conditionOf(name));
    const there = await elsewhere.get(name);
    expect(there?.error).toBeNull();
    const broken = promisesWith(here.findings, "broken");
    // Of all promises a wait that is 3 s too short breaks its own alone.
    if (name === ON_ALL) expect(broken).toEqual(["webhook.wait-2"]);
    else expect(broken).not.toEqual([]);
    expect(textOf(there?.result ?? null)).toBe(textOf(here));
  });
});

function conditionOf(name: string): SimulatedCondition {
  const [cell] = cellsMatching(`^${name}$`);
  if (cell === undefined) throw new Error(`no cell "${name}"`);
  const { fault, variant } = cell;
  const only = name === ON_ALL ? null : groupPromises(fault);
  const loadMs = TELLING_LOAD_MS;
  return { variant, faults: [fault.name], only, seed: seedOf(cell, 0), loadMs };
}

function textOf(result: RunResult | null): string {
  return JSON.stringify(result);
}
