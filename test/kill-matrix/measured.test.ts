/** What is counted of a cell's runs, and how the documents show it. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { CellRecord } from "./cell-record.ts";
import { cellsMatching } from "./cells.ts";
import { matrixPage } from "./document.ts";
import { measure, textOfMeasured } from "./measured.ts";
import { seedOf } from "./simulated.ts";

const [SERVED] = cellsMatching("^auth.missing-key/served A$");
const [NEAR] = cellsMatching("^auth.error-body/near-more-fields A$");
if (SERVED === undefined || NEAR === undefined) throw new Error("the catalogue lacks a fault");

function run(verdicts: Partial<Record<PromiseId, Verdict>>): CellRecord {
  const given = Object.entries(verdicts).map(([promise, verdict]) => {
    return { promise: promise as PromiseId, verdict, summary: "as seen" };
  });
  const record = { fault: "auth.missing-key/served", variant: "A", seed: 1, seconds: 2 } as const;
  return { ...record, error: null, verdicts: given };
}

const CAUGHT = run({ "auth.missing-key": "broken", "auth.every-endpoint": "broken" });
const MISSED = run({ "auth.missing-key": "kept", "job.cost": "broken" });
const DOUBTED = run({ "auth.missing-key": "inconclusive", "load.stable": "inconclusive" });
const FAILED = { ...run({}), error: "the judging process ended" };

describe("a cell's runs", () => {
  it("count as detected where the fault's own promise is broken, and nowhere else", () => {
    const measured = measure(SERVED, [CAUGHT, CAUGHT, MISSED, DOUBTED, FAILED]);
    expect(measured).toMatchObject({
      cell: "auth.missing-key/served A",
      runs: 5,
      asExpected: 2,
      own: { broken: 2, error: 1, inconclusive: 1, kept: 1 },
      companions: { "auth.every-endpoint": 2 },
      falselyBroken: { "job.cost": 1 },
      inconclusive: { "load.stable": 1 },
      cpuSeconds: 2,
    });
  });

  it("give an interval that ten runs can't make narrow", () => {
    // Wilson's interval of 10 of 10: 1 / (1 + 1.96² / 10) = 0.7225.
    const ten = Array.from({ length: 10 }, () => CAUGHT);
    expect(measure(SERVED, ten).interval).toEqual([0.7225, 1]);
  });

  it("have no permitted side effect where nothing may be broken", () => {
    const near = run({ "auth.error-body": "kept", "auth.every-endpoint": "broken" });
    expect(measure(NEAR, [near])).toMatchObject({
      asExpected: 1,
      companions: {},
      falselyBroken: { "auth.every-endpoint": 1 },
    });
  });
});

describe("the documents", () => {
  const head = { profile: "standard", timeScale: 1, seeds: "by name" };

  it("show a fault that is always detected, and one that is not", () => {
    const always = matrixPage({ ...head, cells: [measure(SERVED, [CAUGHT, CAUGHT])] });
    expect(always).toContain(
      "| `auth.missing-key/served` | A | 2 of 2 | 34–100 % | auth.every-endpoint 2 |  |  |",
    );
    expect(always).toContain("| faults detected in every run | 1 of 1 |");
    const seldom = matrixPage({ ...head, cells: [measure(SERVED, [CAUGHT, MISSED])] });
    expect(seldom).toContain("| **1 of 2** (broken 1, kept 1) | 9–91 % |");
    expect(seldom).toContain("| job.cost 1 |");
    expect(seldom).toContain("| faults detected in every run | 0 of 1 |");
  });

  it("are the same file again after reading, a line for each cell", () => {
    const file = { ...head, cells: [measure(SERVED, [CAUGHT]), measure(NEAR, [CAUGHT])] };
    const text = textOfMeasured(file);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(file)));
    expect(text.split("\n")).toHaveLength(5);
  });
});

it("a cell's seeds differ from number to number, and from cell to cell", () => {
  const seeds = [seedOf(SERVED, 0), seedOf(SERVED, 1), seedOf(NEAR, 0), seedOf(NEAR, 1)];
  expect(new Set(seeds).size).toBe(4);
  expect(seedOf(SERVED, 0)).toBe(seeds[0]);
});
