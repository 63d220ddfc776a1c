/** `plumbline dashboards`: writes boards and rules, checks that they are current, exports them. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { causeOf } from "../../contract/thrown.ts";
import { exportedFiles } from "../../dashboards/export.ts";
import { generatedFiles } from "../../dashboards/generated-files.ts";
import { readLatencyTarget } from "../../dashboards/latency-targets.ts";
import type { RuleOptions } from "../../dashboards/rules/options.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";
import { readLabels } from "../labels.ts";
import { OptionReader } from "../options.ts";
import { readSeverities } from "../severities.ts";
import { UsageError } from "../usage-error.ts";

interface DashboardsFlags {
  action: string;
  directory: string;
  grafana?: string;
  runbooks?: string;
  status?: string;
  alertLabel: readonly string[];
  severity: readonly string[];
  job: string;
  timedCanaries: string;
  latency: readonly string[];
  timeScale: string;
}

const ACTIONS = ["build", "check", "export"] as const;

export async function dashboardsCommand(
  flags: DashboardsFlags,
  { output }: Context,
): Promise<ExitCode> {
  const reader = new OptionReader();
  const action = reader.oneOf("dashboards", flags.action, ACTIONS);
  const options = readRuleOptions(flags, reader);
  const { directory } = flags;
  if (directory === "") reader.problem('dashboards: "" is no folder; expected the name of one');
  reader.finish();
  if (action === "check") return await check(directory, generatedFiles(options));
  const files = action === "export" ? exportedFiles(options) : generatedFiles(options);
  await write(directory, files);
  output.result([...files.keys()].map((name) => `${path.join(directory, name)}\n`).join(""));
  return EXIT.ok;
}

function readRuleOptions(flags: DashboardsFlags, reader: OptionReader): RuleOptions {
  const address = (option: string, text: string | undefined, otherwise: string) =>
    (reader.httpUrl(option, text, otherwise) ?? otherwise).replace(/\/+$/, "");
  const { grafanaUrl, latency, runbooksUrl, statusUrl } = DEFAULT_RULE_OPTIONS;
  const status = address("--status", flags.status, statusUrl);
  return {
    scale: reader.timeScale(flags.timeScale),
    job: labelValue(reader, "--job", flags.job),
    grafanaUrl: address("--grafana", flags.grafana, grafanaUrl),
    runbooksUrl: address(
      "--runbooks",
      flags.runbooks,
      flags.status ? `${status}/runbooks` : runbooksUrl,
    ),
    statusUrl: status,
    ...readSeverities(flags.severity, reader),
    alertLabels: readLabels("--alert-label", flags.alertLabel, LABELS_OF_ALERTS, reader),
    timedCanaries: labelValue(reader, "--timed-canaries", flags.timedCanaries),
    latency: { ...latency, ...readLatencies(flags.latency, reader) },
  };
}

/** Those that tell alerts apart, and severity, which has an option of its own. */
const LABELS_OF_ALERTS = [
  ..."alertname severity job service environment location instance canary promise slo".split(" "),
  ..."long_window short_window place outcome reason span unit".split(" "),
];

/** It is put into queries as it is. */
function labelValue(reader: OptionReader, option: string, text: string): string {
  if (!/^[\w.|*+?()-]+$/.test(text)) {
    const expected = "expected letters, digits and _ . - | * + ? ( )";
    reader.problem(`${option}: invalid value "${text}"; ${expected}`);
  } else if (!isPattern(text)) {
    reader.problem(`${option}: "${text}" is no pattern; expected a regular expression`);
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

async function write(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    for (const [name, text] of files) {
      const file = path.join(directory, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  } catch (error) {
    const code = causeOf(error);
    const problem = `"${directory}" can't be written (${code}); expected a writable folder`;
    throw new UsageError("unreadable-file", [`dashboards: ${problem}`]);
  }
}

async function check(directory: string, files: ReadonlyMap<string, string>): Promise<ExitCode> {
  const problems: string[] = [];
  let missing = 0;
  for (const [name, text] of files) {
    const file = path.join(directory, name);
    const found = await readFile(file, "utf8").catch(() => null);
    if (found === text) continue;
    if (found === null) missing += 1;
    const what = found === null ? "is missing" : "is not what these options give";
    problems.push(`${file} ${what}; expected the output of plumbline dashboards build`);
  }
  if (missing === files.size) {
    const problem = `"${directory}" holds none of the ${files.size} files`;
    const expected = "expected the output of plumbline dashboards build";
    throw new UsageError("stale-dashboards", [`${problem}; ${expected}`]);
  }
  if (problems.length > 0) throw new UsageError("stale-dashboards", problems);
  return EXIT.ok;
}
