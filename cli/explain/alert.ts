/** What is known of an alert: its rule, and what its runbook says of its meaning. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { AlertRule } from "../../dashboards/rules/rule.ts";
import { ALERT_GROUPS, ALERT_NAMES, alertsOf } from "../../dashboards/rules/rule-file.ts";
import { ROOT } from "../../runner/package-root.ts";

export interface ExplainedAlert {
  alert: string;
  /** An alert on an error budget is several rules; of any other there is one. */
  rules: readonly Pick<AlertRule, "severity" | "when" | "forSeconds">[];
  /** As its runbook begins to say it. */
  meaning: string;
  impact: string;
  /** The board to open first. */
  board: string;
  /** Path in the package. */
  runbook: string;
  /** Where a probe on this machine serves it, unless it listens elsewhere. */
  runbookUrl: string;
}

const PREFIX = "Plumbline";

/** As they are called, and without the name that all of them begin with. */
export const ALERTS_BY_NAME: ReadonlyMap<string, string> = new Map(
  ALERT_NAMES.flatMap((name) => [
    [name.toLowerCase(), name],
    [name.replace(PREFIX, "").toLowerCase(), name],
  ]),
);

/** Both forms, as a person who misspelt one meant either. */
export const ALERT_WORDS: readonly string[] = ALERT_NAMES.flatMap((name) => {
  return [name, name.replace(PREFIX, "")];
});

export function explainedAlert(alert: string): ExplainedAlert {
  const all = ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS));
  const own = all.filter((rule) => rule.alert === alert);
  const runbook = `docs/runbooks/${alert}.md`;
  const text = readFileSync(path.join(ROOT, runbook), "utf8");
  return {
    alert,
    rules: own.map(({ severity, when, forSeconds }) => ({ severity, when, forSeconds })),
    meaning: beginningOf(text, "Meaning"),
    impact: beginningOf(text, "Impact"),
    board: own[0]?.board ?? "",
    runbook,
    runbookUrl: `${DEFAULT_RULE_OPTIONS.runbooksUrl}/${alert}.md`,
  };
}

/** The first paragraph of a section, without what announces a list or table in it. */
function beginningOf(page: string, heading: string): string {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [paragraph = ""] = section.trim().split(/\n\s*\n/);
  return withoutLinks(paragraph.replaceAll("\n", " ").replace(/ [^.]*:$/, ""));
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}
