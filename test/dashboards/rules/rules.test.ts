/** The rules, by promtool: their syntax, and for each alert when it fires and when it does not. */

import { describe, expect, it } from "vitest";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ruleFile } from "../../../dashboards/rules/rule-file.ts";
import { PROMTOOL_MS, promtool } from "../promtool.ts";
import { concerns, OUTAGES, SLOW_BURNS } from "./budget-cases.ts";
import type { Rule, RuleCase } from "./rule-case.ts";
import { testFiles } from "./rule-case.ts";

/** Empty where all holds. */
async function testRules(cases: readonly RuleCase[], keep: (rule: Rule) => boolean) {
  const { files, tests } = testFiles(cases, keep);
  const { exitCode, said } = await promtool(["test", "rules", ...tests], files);
  return exitCode === 0 ? "" : said;
}

describe("the rules", () => {
  it(
    "pass promtool at their own pace and at sixty times the pace",
    async () => {
      const files = {
        "rules.yaml": ruleFile(DEFAULT_RULE_OPTIONS),
        "fast.yaml": ruleFile({ ...DEFAULT_RULE_OPTIONS, scale: 1 / 60 }),
      };
      const args = ["check", "rules", "--lint=all", "--lint-fatal", "rules.yaml", "fast.yaml"];
      expect(await promtool(args, files)).toMatchObject({ exitCode: 0 });
    },
    PROMTOOL_MS,
  );

  const budgets = [...OUTAGES, ...SLOW_BURNS];
  it.each(budgets)("$alert, $burn, fires, stays silent and resolves", async (each) => {
    expect(await testRules([each], concerns(each))).toBe("");
  });
});
