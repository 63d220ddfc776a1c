/** The matrix can fail itself: any wrong verdict is a complaint, and the table shows it. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { CELLS } from "./cells.ts";
import { COMPANIONSHIPS, companionsOf } from "./companions.ts";
import { complaints } from "./expectation.ts";
import { matrixTable } from "./real/table.ts";

const cell = (name: string) => {
  const found = CELLS.find(({ fault }) => fault.name === name);
  if (found === undefined) throw new Error(`no fault "${name}"`);
  return found;
};

const saying = (verdicts: Partial<Record<PromiseId, Verdict>>) =>
  Object.entries(verdicts).map(([promise, verdict]) => {
    return { promise: promise as PromiseId, verdict, summary: "as seen" };
  });

const SERVED = cell("auth.missing-key/served");
const NEAR = cell("auth.error-body/near-more-fields");

describe("what is said of a fault", () => {
  it.each([
    ["its promise broken", SERVED, { "auth.missing-key": "broken" }, 0],
    ["its promise kept", SERVED, { "auth.missing-key": "kept" }, 1],
    ["its promise in doubt", SERVED, { "auth.missing-key": "inconclusive" }, 1],
    ["a companion broken", SERVED, { "auth.every-endpoint": "broken" }, 0],
    ["another promise broken", SERVED, { "job.cost": "broken" }, 1],
    ["another promise in doubt", SERVED, { "job.cost": "inconclusive" }, 0],
    ["a near miss kept", NEAR, { "auth.error-body": "kept" }, 0],
    ["a near miss broken", NEAR, { "auth.error-body": "broken" }, 1],
    ["a near miss in doubt", NEAR, { "auth.error-body": "inconclusive" }, 1],
    ["a near miss with another promise broken", NEAR, { "job.cost": "broken" }, 1],
  ] as const)("%s: %#", (_what, { fault }, verdicts, expected) => {
    expect(complaints(fault, saying(verdicts))).toHaveLength(expected);
  });
});

describe("companions", () => {
  it("are of faults that there are, and never the fault's own promise", () => {
    for (const { faults } of COMPANIONSHIPS) {
      for (const name of faults) {
        expect(CELLS.some(({ fault }) => fault.name.startsWith(name))).toBe(true);
      }
    }
    for (const { fault } of CELLS) expect(companionsOf(fault).has(fault.promise)).toBe(false);
  });
});

describe("the table", () => {
  const row = (verdicts: Partial<Record<PromiseId, Verdict>>) => {
    const { fault, variant } = SERVED;
    const record = { fault: fault.name, variant, seed: 1, seconds: 31.4, error: null };
    return { cell: SERVED, record: { ...record, verdicts: saying(verdicts) } };
  };

  it("shows a fault that is caught, with its companion", () => {
    const rows = [row({ "auth.missing-key": "broken", "auth.every-endpoint": "broken" })];
    const table = matrixTable(rows);
    const line = "| `auth.missing-key/served` | A | broken | auth.every-endpoint |  | 31 |";
    expect(table).toContain(line);
    expect(table).toContain("| faults detected | 1 of 1 |");
    expect(table).not.toContain("**");
  });

  it("marks a fault that is missed, and a promise that is called broken falsely", () => {
    const table = matrixTable([row({ "auth.missing-key": "kept", "job.cost": "broken" })]);
    expect(table).toContain("| kept **wrong** | job.cost **false** |  | 31 |");
    expect(table).toContain("| faults detected | 0 of 1 |");
  });
});
