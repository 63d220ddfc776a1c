/** What holds in the simulation holds in real k6: figures of healthy services, alone here. */

import { afterAll, describe, expect, it } from "vitest";
import { openJudges } from "../kill-matrix/judges.ts";
import { realStep, simulatedStep, stepOf } from "./capacity-step.ts";
import { ALONE } from "./cells.ts";
import { judgeCell, simulatedCell } from "./judge-cell.ts";

const TIMEOUT_MS = 600_000;

const judges = openJudges("real", 1);
afterAll(() => judges.close());

describe("a healthy service alone on the machine", () => {
  const named = ALONE.map((cell) => ({ cell, title: cell.title }));
  it.each(named)("is seen alike: $title", { timeout: TIMEOUT_MS }, async ({ cell }) => {
    const given = await simulatedCell(cell);
    const { contradictions, doubts, figures } = await judgeCell(judges, given, true);
    expect({ contradictions, doubts, figures }).toEqual({
      contradictions: [],
      doubts: [],
      figures: [],
    });
  });
});

describe("capacity, alone on the machine", () => {
  it.each([
    [10, "pass"],
    [30, "fail"],
  ])(
    "a capacity step of %i jobs a second ends alike",
    { timeout: TIMEOUT_MS },
    async (rate, outcome) => {
      const order = stepOf(rate);
      const first = await realStep(order);
      // A generator that found itself late has no verdict: it is asked once more.
      const real = first.outcome === "withdrawn" ? await realStep(order) : first;
      const simulated = await simulatedStep(order);
      expect([real.outcome, simulated.outcome]).toEqual([outcome, outcome]);
      expect(real.errors).toBe(simulated.errors);
      expect(Math.abs(real.sent - simulated.sent)).toBeLessThanOrEqual(1);
    },
  );
});
