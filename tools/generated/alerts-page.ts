/** docs/alerts.md: every alert that is shipped, and the objectives behind those on budgets. */

import { SERVICE_OBJECTIVES } from "../../dashboards/objectives.ts";
import type { RuleOptions } from "../../dashboards/rules/options.ts";
import type { AlertRule } from "../../dashboards/rules/rule.ts";
import type { AlertGroup } from "../../dashboards/rules/rule-file.ts";
import { alertsOf } from "../../dashboards/rules/rule-file.ts";
import { tableOf } from "./markdown-table.ts";

const INTRODUCTION = `# Alerts

Written by \`npm run generate\` from \`dashboards/rules/\`. How to install them is in
[dashboards.md](dashboards.md).

A **page** wakes somebody: callers are hurt now, or nobody is looking. A **ticket** can wait for
the morning. Every alert has numbers in its description, a link to its runbook and one to a board.
A single failed canary pages nobody.
Which fault raised which, and after how many seconds: [alerts-live.md](alerts-live.md).`;

const BUDGETS = `## On error budgets

Of every service level (\`dashboards/objectives.ts\`) by how fast it spends its budget of 30 days.
The long window says that it is serious, the short one that it still goes on, and three bad events
in the long one (of looks at the API two whole rounds) that it was no chance. Objectives of the
first three come from \`slo:\` of the target file, by the probe's own metrics; bounds and objectives
of the others from \`plumbline dashboards build --latency queue-wait=99@10\`.`;

const FACTORS = "Each of these alerts stands for four rules:";

export function alertsPage(options: RuleOptions): string {
  const budgets = alertsOf("budgets", options);
  const rates = budgets.filter(({ alert }) => alert === budgets[0]?.alert);
  const blocks = [
    INTRODUCTION,
    "## On symptoms",
    alertTable("symptoms", options),
    BUDGETS,
    objectiveTable(options),
    FACTORS,
    tableOf(
      ["fires at", "for", "severity"],
      rates.map(({ when, forSeconds, severity }) => [when, lasting(forSeconds), severity]),
    ),
    "## On the watch itself",
    alertTable("probe", options),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function alertTable(group: AlertGroup, options: RuleOptions): string {
  return tableOf(
    ["alert", "fires when", "for", "severity", "board"],
    alertsOf(group, options).map((alert) => [
      runbookLink(alert.alert),
      alert.when,
      lasting(alert.forSeconds),
      alert.severity,
      alert.board,
    ]),
  );
}

function objectiveTable({ latency }: RuleOptions): string {
  return tableOf(
    ["alert", "service level", "bad is", "objective"],
    SERVICE_OBJECTIVES.map((slo) => {
      if (slo.kind === "events") {
        return [runbookLink(slo.alert), slo.name, slo.bad, "`slo:`, or 99.5 %"];
      }
      const { objective, seconds } = latency[slo.name];
      return [runbookLink(slo.alert), slo.name, slo.bad, `${objective} % within ${seconds} s`];
    }),
  );
}

function runbookLink(alert: AlertRule["alert"]): string {
  return `[${alert}](runbooks/${alert}.md)`;
}

function lasting(seconds: number): string {
  return seconds === 0 ? "at once" : `${seconds / 60} min`;
}
