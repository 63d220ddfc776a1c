/** docs/alerts.md: every alert that is shipped, and the objectives behind those on budgets. */

import { SERVICE_OBJECTIVES } from "../../dashboards/objectives.ts";
import type { RuleOptions } from "../../dashboards/rules/options.ts";
import type { AlertRule } from "../../dashboards/rules/rule.ts";
import type { AlertGroup } from "../../dashboards/rules/rule-file.ts";
import { alertsOf } from "../../dashboards/rules/rule-file.ts";
import { tableOf } from "./markdown-table.ts";

const INTRODUCTION = `# Alerts

\`npm run generate\` writes this page from \`dashboards/rules/\`. [dashboards.md](dashboards.md)
says how to install the alerts.

A **page** wakes somebody: callers are affected now, or nothing is watched. A **ticket** can wait
until the morning. A single failed canary run never pages. Each summary starts with service,
environment and location, if known, and contains the measured figure, if there is one. Annotations
link to the runbook, the board and the probe's status page. Summaries count events, not scrapes; if
the probe restarted within the window, the true count may be higher. \`plumbline dashboards build\`
changes severities with \`--severity\` and adds labels with \`--alert-label\`. The measured times
from fault to alert are in [alerts-live.md](alerts-live.md).`;

const BUDGETS = `## On error budgets

There is one alert for each service level (\`dashboards/objectives.ts\`), on the burn rate of its
30-day error budget. The long window shows that the problem is serious, the short one that it still
lasts. The alert needs at least three bad events in the long window (for API checks, six: more than
one round), so that chance does not fire it. If the probe began within the long window, the time
before counts as good. The objectives of the first three are set in \`slo:\` of the target file; the
rules read them from the probe's metrics. The bounds and objectives of the
others are set with \`plumbline dashboards build --latency queue-wait=99@10\`.`;

const FACTORS = "Each of these alerts has four rules:";

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
    "## On the probe itself",
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
    ["alert", "service level", "bad event", "objective"],
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
