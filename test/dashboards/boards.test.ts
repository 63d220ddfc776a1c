/** The generated boards pass the lint, the lint can fail, and no metric is forgotten. */

import { describe, expect, it } from "vitest";
import { OUTCOME_SHOWN, OUTCOME_TIMELINE } from "../../dashboards/boards/outcomes.ts";
import { generatedFiles } from "../../dashboards/generated-files.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import { METRICS } from "../../probe/metrics/catalogue.ts";
import { OUTCOMES } from "../../probe/outcome.ts";
import type { GrafanaBoard, GrafanaPanel } from "./board-lint.ts";
import { lintBoard } from "./board-lint.ts";
import { catalogueName } from "./known-metrics.ts";
import { readQuery } from "./promql.ts";
import { alertExpressions } from "./rules/expressions.ts";

const FILES = generatedFiles(DEFAULT_RULE_OPTIONS);
const BOARDS = [...FILES]
  .filter(([name]) => name.endsWith(".json"))
  .map(([name, text]) => [name, JSON.parse(text) as GrafanaBoard] as const);

/**
 * Metrics that are for a close look only, with the reason why no board shows them; all others are
 * on a board or in a rule.
 */
const DETAIL: Readonly<Record<string, string>> = {};

describe("boards", () => {
  it("are six, with names of their own that do not change", () => {
    expect(BOARDS.map(([, { uid }]) => uid).sort()).toEqual(
      ["api", "jobs", "load", "overview", "probe", "webhooks"].map((id) => `plumbline-${id}`),
    );
  });

  it.each(BOARDS)("%s passes the lint", (_, board) => {
    expect(lintBoard(board)).toEqual([]);
  });

  it("show every metric of the catalogue, or a rule reads it, or it is marked as detail", () => {
    const queries = [...BOARDS.flatMap(([, board]) => queriesOf(board)), ...alertExpressions()];
    const read = new Set(
      queries.flatMap((query) =>
        readQuery(query).selectors.map(({ metric }) => catalogueName(metric)),
      ),
    );
    const forgotten = METRICS.map(({ name }) => name).filter((name) => !read.has(name));
    expect(forgotten).toEqual(Object.keys(DETAIL));
  });
});

describe("sections of the interface", () => {
  const STATUS = DEFAULT_RULE_OPTIONS.statusUrl;
  const textOf = (statusUrl: string, name: string) =>
    generatedFiles({ ...DEFAULT_RULE_OPTIONS, statusUrl }).get(name) ?? "";

  it.each(BOARDS.filter(([, board]) => JSON.stringify(board).includes("§")))(
    "%s: each § is a link, or a cell that has one",
    (_, { panels }) => {
      const citing = panels.filter((panel) => JSON.stringify(panel).includes("§"));
      const link = (panel: GrafanaPanel) =>
        JSON.stringify(panel).includes(`${STATUS}/promises/\${__value.raw}`) ||
        /\[§([\d.]+)\]\(http[^)]+\/interface#s\1\)/.test(panel.description ?? "");
      expect(citing.length).toBeGreaterThan(0);
      expect(citing.filter((panel) => !link(panel)).map(({ title }) => title)).toEqual([]);
    },
  );

  it("are no link on a board without a location where each location has its own page", () => {
    const perLocation = "http://probe-LOCATION.example.com";
    expect(textOf(perLocation, "plumbline-load.json")).not.toContain("/promises/");
    expect(textOf(STATUS, "plumbline-load.json")).toContain(`${STATUS}/promises/`);
    expect(textOf(perLocation, "plumbline-overview.json")).toContain("example.com/promises/");
  });
});

describe("colours", () => {
  /** What a series of this name is drawn in, by the panel's overrides; the last that fits wins. */
  function drawn({ fieldConfig }: GrafanaPanel, name: string): string | undefined {
    const fits = fieldConfig?.overrides?.filter(({ matcher: { id, options } }) => {
      return id === "byRegexp" ? new RegExp(`^${options}$`).test(name) : options === name;
    });
    return fits
      ?.flatMap(({ properties }) => properties)
      .filter(({ id }) => id === "color")
      .map(({ value }) => (value as { fixedColor: string }).fixedColor)
      .at(-1);
  }

  const MEANT = {
    status: { "0": "red", "500": "red", "5xx": "red", "429": "orange", "4xx": "orange" },
    outcome: { http_error: "red", deadline: "red", auth: "orange", probe_error: "gray" },
    state: { failed: "red", timeout: "orange", completed: "green" },
    result: { failure: "red", success: "green" },
    reason: { journal: "red", rate_limited: "orange" },
  };
  const telling = BOARDS.flatMap(([, { uid, panels }]) =>
    panels.flatMap((panel) => {
      const legends = (panel.targets ?? []).map(({ legendFormat = "" }) => legendFormat);
      return Object.entries(MEANT).flatMap(([label, colors]) =>
        panel.type === "timeseries" && legends.some((each) => each.endsWith(`{{${label}}}`))
          ? [{ uid, title: panel.title, panel, label, colors }]
          : [],
      );
    }),
  );

  it("are told of every label that tells how something ended", () => {
    expect([...new Set(telling.map(({ label }) => label))].sort()).toEqual(
      Object.keys(MEANT).sort(),
    );
    expect(telling.length).toBeGreaterThan(8);
  });

  it.each(telling)("$uid, $title: errors red, client errors orange", ({ panel, colors }) => {
    for (const [value, color] of Object.entries(colors)) {
      expect([value, drawn(panel, value)]).toEqual([value, color]);
      expect([value, drawn(panel, `/v1/me ${value}`)]).toEqual([value, color]);
    }
    expect(drawn(panel, "/v1/me 10")).toBeUndefined();
  });

  it.each(OUTCOMES)("are the same on the timeline as on graphs: %s", (outcome) => {
    const graph = telling.find(({ title }) => title === "Runs ended, by outcome");
    const shown = Object.entries(OUTCOME_SHOWN);
    const at = [...OUTCOME_TIMELINE.matchAll(/\((\d+) [^\n]*?outcome="(\w+)"/g)];
    const code = at.find(([, , name]) => name === outcome)?.[1];
    const color = shown.find(([key]) => key === code)?.[1].color;
    expect(graph && drawn(graph.panel, outcome)).toBe(color);
  });
});

function queriesOf({ panels }: GrafanaBoard): string[] {
  return panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr ?? ""));
}

describe("the lint", () => {
  const [, sample] = BOARDS[0] ?? [];
  if (sample === undefined) throw new Error("no board");
  const panelAt = sample.panels.findIndex(({ type }) => type === "timeseries");

  /** The sample with one panel changed. */
  function withPanel(change: Partial<GrafanaPanel>): GrafanaBoard {
    const panels = sample?.panels.map((panel, at) =>
      at === panelAt ? { ...panel, ...change } : panel,
    );
    return { ...(sample as GrafanaBoard), panels: panels ?? [] };
  }

  const query = (expr: string) =>
    withPanel({ targets: [{ refId: "A", expr, datasource: { uid: "$datasource" } }] });
  const P =
    'job=~"$job",instance=~"$instance",service=~"$service",' +
    'environment=~"$environment",location=~"$location"';
  const total = "plumbline_canary_runs_total";

  const FAILING: readonly [string, GrafanaBoard, string][] = [
    ["a panel without a title", withPanel({ title: "" }), "no title"],
    ["a panel without a description", withPanel({ description: "" }), "no description"],
    ["a panel without a unit", withPanel({ fieldConfig: { defaults: {} } }), "no unit"],
    ["a panel without a query", withPanel({ targets: [] }), "no query"],
    ["a hard-wired data source", withPanel({ datasource: { uid: "abc" } }), "hard-wired"],
    ["a panel over another", withPanel({ gridPos: { x: 0, y: 1, w: 24, h: 9 } }), "overlap"],
    ["a panel off the screen", withPanel({ gridPos: { x: 20, y: 99, w: 8, h: 2 } }), "beyond"],
    ["an id that is used twice", withPanel({ id: 1 }), "used twice"],
    ["wrong syntax", query("sum(rate("), "syntax"],
    ["an unknown metric", query("plumbline_nothing"), "is in no list"],
    ["an unknown label", query(`max by (mood) (plumbline_credits_left{${P}})`), "label mood"],
    ["a matcher on an unknown label", query(`up{mood="good"}`), "no label mood"],
    [
      "a choice by a label of the legacy form",
      query(`rate(plumbline_job_transition_seconds_count{${P},to="completed"}[1h])`),
      "no label to",
    ],
    ["a counter without a rate", query(`sum(${total}{${P}})`), "not under a rate"],
    ["a gauge under a rate", query(`rate(plumbline_credits_left{${P}}[1h])`), "is a gauge"],
    ["a fixed range", query(`rate(${total}{${P}}[5m])`), "[5m]"],
    ["a query for all jobs", query(`rate(${total}[1h])`), "not narrowed by $job"],
    ["a variable matched by =", query(`rate(${total}{job="$job"}[1h])`), "needs =~"],
    [
      "a quantile without le",
      query(`histogram_quantile(0.9, sum(rate(plumbline_webhook_delay_seconds_bucket{${P}}[1h])))`),
      "needs le",
    ],
    ["an editable board", { ...sample, editable: true }, "can be edited"],
    ["a board without the variable job", { ...sample, templating: { list: [] } }, "no $job"],
    ["a board without a way to the others", { ...sample, links: [] }, "dropdown"],
  ];

  it.each(FAILING)("tells %s", (_, board, said) => {
    expect(lintBoard(board).join("\n")).toContain(said);
  });
});
