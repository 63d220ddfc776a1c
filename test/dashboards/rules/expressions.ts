/** The expressions of all rules that are shipped. */

import { parse } from "yaml";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ruleFile } from "../../../dashboards/rules/rule-file.ts";

export function alertExpressions(): string[] {
  const { groups } = parse(ruleFile(DEFAULT_RULE_OPTIONS)) as {
    groups: { rules: { expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}
