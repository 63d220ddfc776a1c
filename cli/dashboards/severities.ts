/** Reads `--severity page=critical` and `--severity ALERT=ticket`. */

import type { RuleOptions } from "../../dashboards/rules/options.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { Severity } from "../../dashboards/rules/rule.ts";
import { SEVERITIES } from "../../dashboards/rules/rule.ts";
import { ALERT_NAMES } from "../../dashboards/rules/rule-file.ts";
import { didYouMean } from "../values/nearest.ts";
import type { OptionReader } from "../values/option-reader.ts";

/** What a receiver calls a severity: "critical", "P1". */
const NAME = /^[\w.-]{1,50}$/;

/** Later ones win, as later options do. */
export function readSeverities(
  texts: readonly string[],
  reader: OptionReader,
): Pick<RuleOptions, "severities" | "severityOf"> {
  const severities = { ...DEFAULT_RULE_OPTIONS.severities };
  const severityOf: Record<string, Severity> = {};
  for (const text of texts) {
    const [name = "", ...rest] = text.split("=");
    const value = rest.join("=");
    if (name === "page" || name === "ticket") {
      const fits = NAME.test(value) ? value : null;
      severities[name] = reader.possible(
        "--severity",
        text,
        fits,
        `${name}=NAME such as ${name}=critical`,
        name,
      );
    } else if (ALERT_NAMES.includes(name)) {
      const severity = reader.oneOf(`--severity ${name}`, value, SEVERITIES);
      if (severity !== null) severityOf[name] = severity;
    } else {
      const expected = 'expected page, ticket or the name of an alert before "="';
      reader.problem(
        `--severity: invalid value "${text}"${didYouMean(name, ALERT_NAMES)}; ${expected}`,
      );
    }
  }
  return { severities, severityOf };
}
