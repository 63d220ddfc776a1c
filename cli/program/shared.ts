/** What the declarations of all commands share: how an action is run, options that come again. */

import type { Command } from "commander";

import type { ExitCode } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";

export type Action<Flags> = (flags: Flags, context: Context) => Promise<ExitCode>;

/** Commands are loaded when they are called for: not every one needs a web server. */
export type Run = <Flags>(load: () => Promise<Action<Flags>>) => (flags: Flags) => Promise<void>;

/** Takes a repeatable option. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

/** For commands that start the embedded service where no target is named. */
export function embeddedOptions(command: Command): Command {
  return command
    .option("--variant <name>", "embedded service only: a or b")
    .option("--fault <name>", "embedded service only: break a promise (repeatable)", collect, [])
    .option("--time-scale <share>", "embedded service only: share of the stated times that passes");
}

export function labelOption(command: Command, where: string): Command {
  const what = `name=value, into ${where} (repeatable)`;
  return command.option("--label <pair>", what, collect, []);
}

/** Command lines at the end of a command's help; test/docs runs every one of them. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const shown = lines.map((line) => `  plumbline ${line}`).join("\n");
  return command.addHelpText("after", `\nExamples:\n${shown}`);
}
