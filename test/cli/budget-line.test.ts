/** What a run may cost, and the run that must not start without a limit. */

import { describe, expect, it } from "vitest";

import { budgetLine, checkBudget, plannedLine } from "../../cli/budget-line.ts";
import { parseTargetFile } from "../../cli/target-file.ts";

const FILE = "target: { baseUrl: 'http://x' }\nkeys: [ { name: a, env: KEY_A } ]\n";

function targetWith(lines: string) {
  return parseTargetFile(FILE + lines, "t.yaml", null).target;
}

describe("budgetLine", () => {
  it.each([
    [
      "",
      0.01,
      "at most 50 jobs, as the target file sets no budget; about 0.50 USD for all of them",
    ],
    ["", null, "at most 50 jobs, as the target file sets no budget"],
    ["budget: { jobs: 340, credits: 12 }", null, "at most 340 jobs, 12 credits"],
    ["budget: {}", 1, "no ceiling"],
  ])("of %j at a price of %s", (lines, price, line) => {
    expect(budgetLine(targetWith(lines), price)).toBe(line);
  });
});

describe("plannedLine", () => {
  it.each([
    [0, 0.01, "this run will submit no jobs"],
    [340, 0.01, "this run will submit about 340 jobs, at about 3.40 USD"],
    [12, null, "this run will submit about 12 jobs"],
  ])("of %i jobs at a price of %s", (jobs, price, line) => {
    expect(plannedLine(jobs, price)).toBe(line);
  });
});

describe("checkBudget", () => {
  it("lets a soak start with a budget only", () => {
    expect(() => checkBudget("soak", targetWith(""))).toThrow(/soak profile needs a budget/);
    expect(() => checkBudget("soak", targetWith("budget: { jobs: 9 }"))).not.toThrow();
    expect(() => checkBudget("quick", targetWith(""))).not.toThrow();
  });

  it("asks for none on the embedded service", () => {
    expect(() => checkBudget("soak", { ...targetWith(""), embedded: true })).not.toThrow();
  });
});
