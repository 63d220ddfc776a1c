/** The options of `plumbline dashboards`, and the file in a folder that remembers them. */

import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readLatencyTarget } from "../../dashboards/latency-targets.ts";
import type { RuleOptions } from "../../dashboards/rules/options.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { Severity } from "../../dashboards/rules/rule.ts";
import { SEVERITIES } from "../../dashboards/rules/rule.ts";
import { ALERT_NAMES } from "../../dashboards/rules/rule-file.ts";
import { fitting, parsedFile } from "../files/json-file.ts";
import type { Labels } from "../values/labels.ts";
import { readLabels } from "../values/labels.ts";
import { didYouMean } from "../values/nearest.ts";
import type { OptionReader } from "../values/option-reader.ts";

const texts = z.array(z.string()).readonly().optional();
const flagsSchema = z.strictObject({
  grafana: z.string().optional(),
  runbooks: z.string().optional(),
  status: z.string().optional(),
  job: z.string().optional(),
  timedCanaries: z.string().optional(),
  timeScale: z.string().optional(),
  alertLabel: texts,
  severity: texts,
  latency: texts,
});

/** As they were typed; what is left out has its default. */
export type BoardFlags = z.infer<typeof flagsSchema>;

/**
 * Beside the files of a folder: what they were written with, as JSON. It is not called so, as
 * Grafana takes every .json file of a provisioned folder for a board, and Prometheus may be told to
 * load every .yaml.
 */
export const OPTIONS_FILE = "plumbline.options";

export function optionsText(flags: BoardFlags): string {
  return `${JSON.stringify(given(flags), null, 2)}\n`;
}

/** null where the folder has no such file. Throws UsageError where it holds anything else. */
export async function remembered(folder: string): Promise<BoardFlags | null> {
  const file = path.join(folder, OPTIONS_FILE);
  if (!existsSync(file)) return null;
  const what = "the options of plumbline dashboards build";
  return fitting(file, await parsedFile(file, what), flagsSchema, what);
}

/** A flag that is given again takes the place of the remembered one. */
export function withRemembered(old: BoardFlags, flags: BoardFlags): BoardFlags {
  return { ...old, ...given(flags) };
}

function given(flags: BoardFlags): BoardFlags {
  const entries = Object.entries(flags).filter(
    ([, value]) => value !== undefined && value.length > 0,
  );
  return Object.fromEntries(entries);
}

/** Names of documents and tests, which no server has. Source: RFC 2606 §2, §3. */
const RESERVED = /(^|\.)(example\.(com|net|org)|example|invalid|test)$/i;

/** What is wrong with a flag goes to the reader. */
export function readRuleOptions(flags: BoardFlags, reader: OptionReader): RuleOptions {
  const address = (option: string, text: string | undefined, otherwise: string) => {
    const url = reader.httpUrl(option, text, otherwise) ?? otherwise;
    if (RESERVED.test(new URL(url).hostname)) {
      const why = "is an address for examples, to which no link leads";
      reader.problem(`${option}: "${url}" ${why}; expected the address that on-call users open`);
    }
    return url.replace(/\/+$/, "");
  };
  const { grafanaUrl, job, latency, runbooksUrl, statusUrl, timedCanaries } = DEFAULT_RULE_OPTIONS;
  const status = address("--status", flags.status, statusUrl);
  return {
    scale: reader.timeScale(flags.timeScale ?? "1"),
    job: labelValue(reader, "--job", flags.job ?? job),
    grafanaUrl: address("--grafana", flags.grafana, grafanaUrl),
    runbooksUrl: address(
      "--runbooks",
      flags.runbooks,
      flags.status ? `${status}/runbooks` : runbooksUrl,
    ),
    statusUrl: status,
    ...readSeverities(flags.severity ?? [], reader),
    alertLabels: readAlertLabels(flags.alertLabel ?? [], reader),
    timedCanaries: labelValue(reader, "--timed-canaries", flags.timedCanaries ?? timedCanaries),
    latency: { ...latency, ...readLatencies(flags.latency ?? [], reader) },
  };
}

/** Those that tell alerts apart, and severity, which has an option of its own. */
const LABELS_OF_ALERTS = [
  ..."alertname severity job service environment location instance canary promise slo".split(" "),
  ..."long_window short_window place outcome reason span unit".split(" "),
];

/** Prometheus would expand a template in one. Source: its documentation, "Alerting rules". */
function readAlertLabels(texts: readonly string[], reader: OptionReader): Labels {
  const plain = texts.filter((text) => {
    const isTemplate = text.includes("{{");
    if (isTemplate) reader.problem(`--alert-label: "${text}" is a template; expected plain text`);
    return !isTemplate;
  });
  return readLabels("--alert-label", plain, LABELS_OF_ALERTS, reader);
}

/** It is put into queries as it is. */
function labelValue(reader: OptionReader, option: string, text: string): string {
  if (!/^[\w.|*+?()-]+$/.test(text)) {
    const expected = "expected letters, digits and _ . - | * + ? ( )";
    reader.problem(`${option}: invalid value "${text}"; ${expected}`);
  } else if (!isPattern(text)) {
    reader.problem(`${option}: "${text}" is not a pattern; expected a regular expression`);
  }
  return text;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function readLatencies(
  texts: readonly string[],
  reader: OptionReader,
): Partial<RuleOptions["latency"]> {
  const found: Partial<Record<keyof RuleOptions["latency"], RuleOptions["latency"]["queue-wait"]>> =
    {};
  for (const text of texts) {
    const reading = readLatencyTarget(text);
    if (reading.kind === "problem") reader.problem(`--latency: ${reading.problem}`);
    else found[reading.name] = reading.target;
  }
  return found;
}

/** What a receiver calls a severity: "critical", "P1". */
const NAME = /^[\w.-]{1,50}$/;

/** Later ones win, as later options do. */
function readSeverities(
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
