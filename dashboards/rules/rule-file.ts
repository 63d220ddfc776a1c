/** The rule file for Prometheus: recording rules first, then alerts with their links. */

import { stringify } from "yaml";
import { burnRateAlerts } from "./burn-rates.ts";
import { metaAlerts } from "./meta.ts";
import type { RuleOptions } from "./options.ts";
import { DEFAULT_RULE_OPTIONS } from "./options.ts";
import { frequentRules, seldomRules } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { boardUid, LOCATION } from "./rule.ts";
import { symptomAlerts } from "./symptoms.ts";
import { MINUTE, spanAt } from "./time.ts";

/** Ours: an outage is looked for as often as it is scraped. */
const ALERT_INTERVAL_SECONDS = 15;
const FREQUENT_SECONDS = 30;
/** Ours: below the five minutes for which Prometheus takes a sample as current. */
const SELDOM_SECONDS = 2 * MINUTE;

export const ALERT_GROUPS = ["budgets", "symptoms", "probe"] as const;
export type AlertGroup = (typeof ALERT_GROUPS)[number];

export function alertsOf(group: AlertGroup, options: RuleOptions): readonly AlertRule[] {
  if (group === "budgets") return burnRateAlerts(options);
  return group === "symptoms" ? symptomAlerts(options) : metaAlerts(options);
}

/** Each once, though an alert on a budget is four rules. */
export const ALERT_NAMES: readonly string[] = [
  ...new Set(
    ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS)).map(
      ({ alert }) => alert,
    ),
  ),
];

export function ruleFile(options: RuleOptions): string {
  const span = spanAt(options.scale);
  const recording = [
    { name: "plumbline-budgets", seconds: FREQUENT_SECONDS, rules: frequentRules(options) },
    { name: "plumbline-budgets-long", seconds: SELDOM_SECONDS, rules: seldomRules(options) },
  ].map(({ name, seconds, rules }) => ({ name, interval: span(seconds), rules }));
  const alerting = ALERT_GROUPS.map((group) => ({
    name: `plumbline-${group}-alerts`,
    interval: span(ALERT_INTERVAL_SECONDS),
    rules: alertsOf(group, options).map((alert) => ruleOf(alert, options)),
  }));
  return `${HEADER}${stringify({ groups: [...recording, ...alerting] }, { lineWidth: 0 })}`;
}

const HEADER = `# Made by "plumbline dashboards build"; edit dashboards/rules/ instead.
`;

function ruleOf(alert: AlertRule, options: RuleOptions) {
  const span = spanAt(options.scale);
  const { runbooksUrl } = options;
  return {
    alert: alert.alert,
    expr: alert.expr,
    ...(alert.forSeconds === 0 ? {} : { for: span(alert.forSeconds) }),
    ...(alert.keepSeconds === undefined ? {} : { keep_firing_for: span(alert.keepSeconds) }),
    labels: { ...options.alertLabels, ...alert.labels, severity: severityOf(alert, options) },
    annotations: {
      summary: `${PLACE}${alert.summary}`,
      description: alert.description,
      runbook_url: `${atLocation(runbooksUrl)}/${alert.alert}.md`,
      dashboard_url: dashboardUrl(alert, options),
      status_url: atLocation(options.statusUrl),
    },
  };
}

/** Which service, where it runs, and where the probe stands; each may be missing. */
const PLACE =
  "{{ with $labels.service }}{{ . }}, {{ end }}{{ with $labels.environment }}{{ . }}, {{ end }}" +
  "{{ with $labels.location }}{{ . }}: {{ end }}";

function severityOf({ alert, severity }: AlertRule, options: RuleOptions): string {
  const meant = options.severityOf[alert] ?? severity;
  return meant === "none" ? meant : options.severities[meant];
}

function dashboardUrl({ board }: AlertRule, { grafanaUrl }: RuleOptions): string {
  const location = "{{ with $labels.location }}?var-location={{ . }}{{ end }}";
  return `${grafanaUrl}/d/${boardUid(board)}${location}`;
}

function atLocation(url: string): string {
  return url.replaceAll(LOCATION, "{{ $labels.location }}");
}
