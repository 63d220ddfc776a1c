/** The rules, by promtool: their syntax, and for each alert when it fires and when it does not. */

import { describe, expect, it } from "vitest";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ALERT_GROUPS, alertsOf, ruleFile } from "../../../dashboards/rules/rule-file.ts";
import { PROMTOOL_MS, promtool } from "../promtool.ts";
import { concerns, OUTAGES, SLOW_BURNS } from "./budget-cases.ts";
import { META_CASES } from "./meta-cases.ts";
import type { Rule, RuleCase } from "./rule-case.ts";
import { testFiles } from "./rule-case.ts";
import { SYMPTOM_CASES } from "./symptom-cases.ts";

/** Empty where all holds. */
async function testRules(cases: readonly RuleCase[], keep: (rule: Rule) => boolean) {
  const { files, tests } = testFiles(cases, keep);
  const { exitCode, said } = await promtool(["test", "rules", ...tests], files);
  return exitCode === 0 ? "" : said;
}

const ALERTS = ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS));

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

  const others = [...SYMPTOM_CASES, ...META_CASES];
  it("fire for their reason alone, stay silent on the near miss, and resolve", async () => {
    const isOther = ({ record, labels }: Rule) => record === undefined && labels?.slo === undefined;
    expect(await testRules(others, isOther)).toBe("");
  }, 600_000);

  it("are all tried", () => {
    const tried = new Set([...OUTAGES, ...others].map(({ alert }) => alert));
    const untried = ALERTS.filter(({ alert }) => !tried.has(alert)).map(({ alert }) => alert);
    expect([...new Set(untried)]).toEqual(["PlumblineWatchdog"]);
  });

  it("can fail: a near miss that is none is told", async () => {
    const [first] = others;
    if (first === undefined) throw new Error("no case");
    const wrong = { ...first, nearMiss: { ...first.nearMiss, series: first.fires.series } };
    const isOther = ({ record, labels }: Rule) => record === undefined && labels?.slo === undefined;
    expect(await testRules([wrong], isOther)).toContain("PlumblineCanaryFailing");
  });

  const budgets = [...OUTAGES, ...SLOW_BURNS];
  it.each(budgets)("$alert, $burn, fires, stays silent and resolves", async (each) => {
    expect(await testRules([each], concerns(each))).toBe("");
  });
});
