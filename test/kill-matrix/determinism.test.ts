/** A seed stands for one run: here, once more, and in another process. */

import { afterAll, describe, expect, it } from "vitest";
import type { RunResult } from "../../contract/run-result.ts";
import { cellsMatching } from "./cells.ts";
import { openJudges } from "./judges.ts";
import { judgeSimulated, seedOf } from "./simulated.ts";

/** Faults of chance and of times: what would show a clock or a chance that is not given. */
const CELLS = ["rate.burst/3-over A", "webhook.wait-2/3-s-early B", "load.no-losses/1-in-200 B"];

describe("a cell that is judged on all promises", () => {
  const judges = openJudges("simulated", 1);
  afterAll(() => judges.close());

  it.each(CELLS)("gives the same findings each time and in each process: %s", async (name) => {
    const [cell] = cellsMatching(`^${name}$`);
    if (cell === undefined) throw new Error(`no cell "${name}"`);
    const { fault, variant } = cell;
    const condition = { variant, faults: [fault.name], only: null, seed: seedOf(cell, 0) };
    const [first, second] = [await judgeSimulated(condition), await judgeSimulated(condition)];
    const { result, error } = await judges.judge(condition);
    expect(error).toBeNull();
    expect(first.findings.some(({ verdict }) => verdict === "broken")).toBe(true);
    expect(textOf(second)).toBe(textOf(first));
    expect(textOf(result)).toBe(textOf(first));
  });
});

function textOf(result: RunResult | null): string {
  return JSON.stringify(result?.findings);
}
