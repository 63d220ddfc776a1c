/** `plumbline dashboards`: writes boards and rules, checks that they are current, exports them. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { causeOf } from "../../contract/text/thrown.ts";
import { exportedFiles } from "../../dashboards/export.ts";
import { generatedFiles } from "../../dashboards/generated-files.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";
import type { BoardFlags } from "../dashboards/options.ts";
import {
  OPTIONS_FILE,
  optionsText,
  readRuleOptions,
  remembered,
  withRemembered,
} from "../dashboards/options.ts";
import { UsageError } from "../usage-error.ts";
import { OptionReader } from "../values/option-reader.ts";

interface DashboardsFlags extends BoardFlags {
  action: string;
  directory: string;
  reset: boolean;
}

export const DASHBOARD_ACTIONS = ["build", "check", "export"] as const;

export async function dashboardsCommand(
  flags: DashboardsFlags,
  { output }: Context,
): Promise<ExitCode> {
  const reader = new OptionReader();
  const action = reader.oneOf("dashboards", flags.action, DASHBOARD_ACTIONS);
  const { action: _, directory, reset, ...given } = flags;
  const known = reset && action === "build" ? null : await remembered(directory);
  const wanted = withRemembered(known ?? {}, given);
  const options = readRuleOptions(wanted, reader);
  if (directory === "") reader.problem('dashboards: "" is not a folder; expected the name of one');
  reader.finish();
  if (action === "build" && known !== null && optionsText(known) !== optionsText(given)) {
    const begun = `with the options of ${path.join(directory, OPTIONS_FILE)} as well`;
    output.say(`${begun}; --reset drops them\n`);
  }
  if (action === "check") {
    const files = generatedFiles(options);
    await check(directory, files);
    output.result(`${directory}: all ${files.size} files are what these options give\n`);
    return EXIT.ok;
  }
  const files = action === "export" ? exportedFiles(options) : generatedFiles(options);
  // An export with other options leaves the boards as they were built, and `check` holds those.
  const kept =
    known === null || action === "build" ? [[OPTIONS_FILE, optionsText(wanted)] as const] : [];
  const all = new Map([...files, ...kept]);
  await write(directory, all);
  output.result([...all.keys()].map((name) => `${path.join(directory, name)}\n`).join(""));
  return EXIT.ok;
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
    throw new UsageError("invalid-option", [`dashboards: ${problem}`]);
  }
}

/** Throws UsageError with each file that is missing or other. */
async function check(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
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
    const expected = "expected the output of plumbline dashboards build, or files/ of an export";
    throw new UsageError("stale-dashboards", [`${problem}; ${expected}`]);
  }
  if (problems.length > 0) throw new UsageError("stale-dashboards", problems);
}
