/** Alerts and runbooks belong together one to one, and what a runbook names is there. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { boardsOf } from "../../dashboards/boards/index.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import { ALERT_GROUPS, alertsOf } from "../../dashboards/rules/rule-file.ts";
import { lintQuery } from "./query-lint.ts";
import { alertExpressions } from "./rules/expressions.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../docs/runbooks");
const SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation", "False alarms"];

const ALERTS = ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS));
const NAMES = [...new Set(ALERTS.map(({ alert }) => alert))].sort();
const RUNBOOKS = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(path.join(FOLDER, file), "utf8");
  return { name: path.basename(file, ".md"), text };
});

/** What a runbook may set in italics: boards, panels, rows, alerts, and pages of Prometheus. */
const ITALICS = new Set([
  ...boardsOf(DEFAULT_RULE_OPTIONS).flatMap(({ title, rows }) => [
    title.replace("Plumbline / ", ""),
    ...rows.flatMap((row) => [row.title, ...row.panels.map((panel) => panel.title)]),
  ]),
  ...NAMES,
  ...["Status, Targets", "Status, Rules", "Service discovery"],
]);

describe("runbooks", () => {
  it("are there for every alert, and for nothing else", () => {
    expect(RUNBOOKS.map(({ name }) => name).sort()).toEqual(NAMES);
  });

  it.each(RUNBOOKS)("$name says what on-call asks, in that order", ({ name, text }) => {
    expect(text.startsWith(`# ${name}\n`)).toBe(true);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(SECTIONS);
  });

  it.each(RUNBOOKS)("$name has queries to paste that read what is there", ({ text }) => {
    const queries = [...text.matchAll(/^ *```promql\n([\s\S]*?)^ *```$/gm)].map(
      ([, query]) => query,
    );
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.flatMap((query) => lintQuery(query ?? ""))).toEqual([]);
  });

  it.each(RUNBOOKS)("$name names boards, panels and alerts that are there", ({ text }) => {
    const named = [...text.matchAll(/(?<![*\w])\*([^*\n]+)\*(?![*\w])/g)].map(
      ([, name]) => name ?? "",
    );
    expect(named.filter((name) => !ITALICS.has(name))).toEqual([]);
  });
});

describe("alerts", () => {
  it.each(ALERTS)("$alert ($severity) tells numbers and has a severity", (alert) => {
    expect(alert.severity).toMatch(
      alert.alert === "PlumblineWatchdog" ? /^none$/ : /^(page|ticket)$/,
    );
    expect(alert.description).toMatch(/\{\{ \$value|\d/);
    expect(alert.summary.length).toBeLessThan(140);
  });

  it("read what is there, and nothing else", () => {
    expect(alertExpressions().flatMap(lintQuery)).toEqual([]);
  });
});
