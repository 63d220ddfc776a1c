/** What a run may cost, and the run that must not start without a limit. */

import { describe, expect, it } from "vitest";

import {
  budgetLine,
  needsBudget,
  plannedLine,
  shortBudgetText,
} from "../../../cli/gate/budget-line.ts";
import { parseTargetFile } from "../../../cli/target-file/target-file.ts";

const FILE = "target: { baseUrl: 'http://x' }\nkeys: [ { name: a, env: KEY_A } ]\n";

const UNPRICED = { credits: null, usd: null };

function targetWith(lines: string) {
  return parseTargetFile(FILE + lines, "t.yaml", null).target;
}

describe("budgetLine", () => {
  it.each([
    [
      "",
      { credits: null, usd: 0.01 },
      "at most 50 jobs, as the target file sets no budget; about 0.50 USD for all of them",
    ],
    ["", UNPRICED, "at most 50 jobs, as the target file sets no budget"],
    ["budget: { jobs: 340, credits: 12 }", UNPRICED, "at most 340 jobs, 12 credits"],
    [
      "budget: { jobs: 340, credits: 12 }",
      { credits: 0.03, usd: null },
      "at most 340 jobs, 12 credits; about 10.2 credits for all of them",
    ],
    ["budget: {}", { credits: 1, usd: 1 }, "no ceiling"],
  ])("of %j at a price of %j", (lines, price, line) => {
    expect(budgetLine(targetWith(lines), price)).toBe(line);
  });
});

describe("plannedLine", () => {
  it.each([
    [0, { credits: null, usd: 0.01 }, null, "this run will submit no jobs"],
    [
      340,
      { credits: 0.03, usd: 0.01 },
      null,
      "this run will submit about 340 jobs, 10.2 credits, 3.40 USD",
    ],
    [12, UNPRICED, { jobs: 5, credits: 1, usd: 1 }, "this run will submit about 5 jobs"],
    [
      40,
      { credits: 1, usd: null },
      { jobs: null, credits: 3, usd: null },
      "this run will submit about 3 jobs, 3 credits",
    ],
    [
      40,
      { credits: 0, usd: 0.1 },
      { jobs: null, credits: 3, usd: 0.3 },
      "this run will submit about 3 jobs, 0 credits, 0.30 USD",
    ],
    [
      40,
      { credits: 2, usd: null },
      { jobs: null, credits: 1, usd: null },
      "this run will submit no jobs",
    ],
  ])("of %i jobs at a price of %j under %j", (jobs, price, ceiling, line) => {
    expect(plannedLine({ expected: jobs, most: jobs }, price, ceiling)).toBe(line);
  });
});

describe("shortBudgetText", () => {
  const price = { credits: null, usd: 0.02 };
  it.each([
    [
      1,
      "the budget allows about 50 jobs, and the checks of this run take about 340 jobs, 6.80 " +
        "USD: some will tell less, or nothing",
    ],
    [6.8, null],
  ])("of %d USD", (usd, text) => {
    const ceiling = { jobs: null, credits: null, usd };
    expect(shortBudgetText({ expected: 340, most: 680 }, price, ceiling)).toBe(text);
  });

  it("of no ceiling, or of no price", () => {
    const jobs = { expected: 340, most: 680 };
    expect(shortBudgetText(jobs, price, null)).toBeNull();
    expect(shortBudgetText(jobs, UNPRICED, { jobs: null, credits: null, usd: 1 })).toBeNull();
  });
});

describe("plannedLine, of what may be asked a second time", () => {
  const ABOUT = "this run will submit about";
  it.each([
    [
      { credits: 0.03, usd: 0.01 },
      null,
      `${ABOUT} 340 jobs, 10.2 credits, 3.40 USD; up to 680 jobs, 20.4 credits, 6.80 USD where ` +
        "a check is repeated",
    ],
    [
      UNPRICED,
      { jobs: null, credits: null, usd: null },
      `${ABOUT} 340 jobs; up to 680 jobs where a check is repeated`,
    ],
    [
      { credits: 1, usd: null },
      { jobs: null, credits: 340, usd: null },
      `${ABOUT} 340 jobs, 340 credits`,
    ],
  ])("at a price of %j under %j", (price, ceiling, line) => {
    expect(plannedLine({ expected: 340, most: 680 }, price, ceiling)).toBe(line);
  });
});

describe("needsBudget", () => {
  it("lets what would be an open bill start with a budget only", () => {
    expect(() => needsBudget("the soak profile", targetWith(""))).toThrow(
      "the soak profile needs a budget; expected budget: { jobs: ... } in the file",
    );
    expect(() => needsBudget("capacity", targetWith("budget: { jobs: 9 }"))).not.toThrow();
  });

  it("asks for none on the embedded service", () => {
    expect(() => needsBudget("capacity", { ...targetWith(""), embedded: true })).not.toThrow();
  });
});
