/** grafana/dashboard-linter --strict would pass every board: exclusions name all that it finds. */

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { generatedFiles } from "../../dashboards/generated-files.ts";
import { EXCLUSIONS, LINT_FILE } from "../../dashboards/lint-exclusions.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { GrafanaBoard, GrafanaPanel } from "./board-lint.ts";
import type { Finding } from "./linter-rules.ts";
import { LINTER_RULES, linterFindings } from "./linter-rules.ts";

const FILES = generatedFiles(DEFAULT_RULE_OPTIONS);
const BOARDS = [...FILES]
  .filter(([name]) => name.endsWith(".json"))
  .map(([, text]) => JSON.parse(text) as GrafanaBoard);
const FINDINGS = BOARDS.flatMap(linterFindings);

type Entry = (typeof EXCLUSIONS)[string]["entries"][number];

/** As the linter matches: an entry without a panel is of the whole board. */
function excludes({ dashboard, panel }: Entry, finding: Finding): boolean {
  return dashboard === finding.dashboard && (panel === undefined || panel === finding.panel);
}

describe("grafana/dashboard-linter", () => {
  it("finds nothing but what is excluded", () => {
    const told = FINDINGS.filter((finding) => {
      return !EXCLUSIONS[finding.rule]?.entries.some((entry) => excludes(entry, finding));
    });
    expect(told).toEqual([]);
  });

  it.each(Object.entries(EXCLUSIONS))("needs each exclusion of %s", (rule, { entries, reason }) => {
    const found = FINDINGS.filter((finding) => finding.rule === rule);
    expect(entries.filter((entry) => !found.some((each) => excludes(entry, each)))).toEqual([]);
    expect(reason).toMatch(/\.$/);
  });

  it("reads the exclusions from the folder of the boards", () => {
    expect(parse(FILES.get(LINT_FILE) ?? "")).toEqual({ exclusions: EXCLUSIONS });
  });
});

describe("each of its rules can fail", () => {
  const sample = BOARDS.find(({ uid }) => uid === "plumbline-api") as GrafanaBoard;
  const graph = sample.panels.find(({ type }) => type === "timeseries") as GrafanaPanel;
  const withPanel = (change: Partial<GrafanaPanel>): GrafanaBoard => ({
    ...sample,
    panels: [{ ...graph, ...change }],
  });
  const withQuery = (expr: string) => withPanel({ targets: [{ refId: "A", expr }] });
  const withVariables = (change: object): GrafanaBoard => ({
    ...sample,
    templating: { list: sample.templating.list.map((each) => ({ ...each, ...change })) },
  });
  const P = 'job=~"$job",instance=~"$instance"';

  const BROKEN: Readonly<Record<string, GrafanaBoard>> = {
    "template-datasource-rule": withVariables({ label: "Source" }),
    "template-job-rule": withVariables({ multi: false }),
    "template-instance-rule": withVariables({ allValue: ".*" }),
    "template-label-promql-rule": withVariables({ query: { query: "values_of(up, job)" } }),
    "template-on-time-change-reload-rule": withVariables({ refresh: 1 }),
    "uneditable-dashboard": { ...sample, editable: true },
    "panel-datasource-rule": withPanel({ datasource: { uid: "abc" } }),
    "panel-title-description-rule": withPanel({ description: "" }),
    "panel-units-rule": withPanel({ fieldConfig: { defaults: { unit: "parsecs" } } }),
    "panel-no-targets-rule": withPanel({ targets: [] }),
    "target-promql-rule": withQuery("sum(rate("),
    "target-rate-interval-rule": withQuery(`rate(x_total{${P}}[5m])`),
    "target-job-rule": withQuery(`up{job="$job",instance=~"$instance"}`),
    "target-instance-rule": withQuery(`up{job=~"$job"}`),
    "target-counter-agg-rule": withQuery(`x_total{${P}}`),
  };

  it("is shown of all of them", () => {
    expect(Object.keys(BROKEN)).toEqual(LINTER_RULES);
  });

  it.each(Object.entries(BROKEN))("%s", (rule, board) => {
    expect(linterFindings(board).map((finding) => finding.rule)).toContain(rule);
  });
});
