/** The rules, by promtool: their syntax, and for each alert when it fires and when it does not. */

import { describe, expect, it } from "vitest";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { PACES } from "../../../dashboards/rules/paces.ts";
import { ALERT_GROUPS, alertsOf, ruleFile } from "../../../dashboards/rules/rule-file.ts";
import { drawnCases } from "../../drawn-cases.ts";
import { TOOL_MS } from "../../go-tool.ts";
import { promtool } from "../promtool.ts";
import { concerns, OUTAGES, SLOW_BURNS } from "./budget-cases.ts";
import { CANARY_CASES } from "./canary-cases.ts";
import type { Courses } from "./healthy.ts";
import { HEALTHY } from "./healthy.ts";
import { META_CASES } from "./meta-cases.ts";
import type { Rule, RuleCase } from "./rule-case.ts";
import { asking, failedExpressions, nearMisses, printing, testFiles } from "./rule-case.ts";
import { SUPPORT_CASES } from "./support-cases.ts";
import { SYMPTOM_CASES } from "./symptom-cases.ts";
import { TWO_PROBES, WHO_IS_DOWN } from "./two-probes.ts";

const isOther = ({ record, labels }: Rule): boolean => {
  return record === undefined && labels?.slo === undefined;
};

/** What promtool says of cases whose alerts it prints, and of their near misses. */
async function saidOf(cases: readonly RuleCase[]): Promise<string> {
  const fires = testFiles(cases, isOther, printing);
  const misses = nearMisses(cases);
  const files = { ...fires.files, ...misses.files };
  return (await promtool(["test", "rules", ...fires.tests, ...misses.tests], files)).said;
}

/** Empty where all holds. */
async function testRules(cases: readonly RuleCase[], keep: (rule: Rule) => boolean) {
  const { files, tests } = testFiles(cases, keep);
  const { exitCode, said } = await promtool(["test", "rules", ...tests], files);
  return exitCode === 0 ? "" : said;
}

const ALERTS = ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS));

/** The same series with more labels, as a scrape configuration adds them. */
function labelled(courses: Courses, labels: string): Courses {
  return Object.fromEntries(
    Object.entries(courses).map(([name, course]) => [name.replace("{", `{${labels}`), course]),
  );
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
    TOOL_MS,
  );

  const others = [...CANARY_CASES, ...SYMPTOM_CASES, ...META_CASES, ...SUPPORT_CASES];
  let asked: Promise<string> | null = null;
  /** Of all of them, run once for all that is asserted of it. */
  const said = () => {
    asked ??= saidOf(others);
    return asked;
  };
  it("fire for their reason alone, stay silent on the near miss, and resolve", async () => {
    const all = await said();
    expect(failedExpressions(all)).toEqual([]);
    expect(all.match(/^ *alertname: /gm)).toHaveLength(others.length);
  });

  it("are the same in compressed time, but for their durations", () => {
    const shape = (scale: number) => {
      return ruleFile({ ...DEFAULT_RULE_OPTIONS, scale })
        .replace(/(?<=[[: ])\d+(ms|[smhd])(?=[\]): \n])/g, "TIME")
        .replace(/(?<=(<=?|>|[*]) )[\d.]+/g, "NUMBER")
        .replace(/(?<=\) \/ )[\d.]+(?=, 1\))/g, "WINDOW");
    };
    expect(shape(1 / 60)).toBe(shape(1));
  });

  it("say of a dead probe whether others of its place live", async () => {
    const { files, tests } = testFiles([TWO_PROBES], isOther, asking(WHO_IS_DOWN));
    expect((await promtool(["test", "rules", ...tests], files)).said).toMatch(/^\s*SUCCESS\s*$/);
  });

  it("look back at three runs of every canary up to one a day", () => {
    expect(PACES.filter(({ upTo, window }) => window < 3 * upTo)).toEqual([]);
    expect(PACES.map(({ above }) => above)).toEqual([0, ...PACES.slice(0, -1).map((p) => p.upTo)]);
    expect(PACES.at(-1)?.upTo).toBe(86_400);
  });

  it("are all tried", () => {
    const tried = new Set([...OUTAGES, ...others].map(({ alert }) => alert));
    const untried = ALERTS.filter(({ alert }) => !tried.has(alert)).map(({ alert }) => alert);
    expect([...new Set(untried)]).toEqual(["PlumblineWatchdog"]);
  });

  it("say what they have measured, whatever made them fire", async () => {
    const all = await said();
    expect(all.match(/description="/g)?.length).toBeGreaterThanOrEqual(others.length);
    expect(all).not.toMatch(/<no value>|error (calling|executing)|%!/);
    expect(all).toContain("home: Canary main: 3 failed runs");
    expect(all).toContain('"3 runs of the canary failed');
    expect(all).toContain("budget in jobs runs out: 100 left");
    expect(all).toContain("budget is used up: 1 run skipped in 15 min");
    expect(all).toContain("2 submissions of the last 30 min were refused with 402");
    expect(all).toContain("home: 1 timed-out job was charged in the last hour");
    expect(all).toContain("home: Promise job.shape is broken: 1 violation in the last hour");
    expect(all).toContain("home: The probe gets 429 within its plan's limits: 3 responses");
    expect(all).toContain("home: 1 response with status 429 had no valid Retry-After");
    expect(all).toContain("home: The probe's journal fails: 1 failure in 15 min");
    expect(all).not.toMatch(/(summary|description)="[^"]*\b1 [a-z-]*[^s\W]s\b/);
    expect(all).toContain("away: No probe to scrape: 0 targets");
  });

  it("tell the measured burn rate, the service and the environment", async () => {
    const labels = 'service="jobs-api",environment="production",';
    const cases = OUTAGES.filter(({ slo }) => slo === "canary-success").map((each) => ({
      ...each,
      fires: { ...each.fires, series: labelled({ ...HEALTHY, ...each.fires.series }, labels) },
    }));
    const [outage] = cases;
    if (outage === undefined) throw new Error("no case");
    const { files, tests } = testFiles(cases, concerns(outage), printing);
    const { said } = await promtool(["test", "rules", ...tests], files);
    // 14 or 15 bad events in the hour of 60, at an objective of 99.5 %.
    const [, burn] =
      /summary="jobs-api, production, home: Canary runs fail: error budget burns ([\d.]+) /.exec(
        said,
      ) ?? [];
    expect(Number(burn)).toBeGreaterThan(45);
    expect(Number(burn)).toBeLessThan(52);
  });

  it("can fail: a near miss that is none is told", async () => {
    const [first] = others;
    if (first === undefined) throw new Error("no case");
    const wrong = { ...first, nearMiss: { ...first.nearMiss, series: first.fires.series } };
    expect(failedExpressions(await saidOf([wrong]))).toHaveLength(1);
  });

  const budgets = [...OUTAGES, ...SLOW_BURNS];
  it.each(drawnCases("budgets", budgets, 2))(
    "$alert, $burn, fires, stays silent and resolves",
    async (each) => {
      expect(await testRules([each], concerns(each))).toBe("");
    },
  );
});
