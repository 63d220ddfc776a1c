/** What the declarations of all commands share: how they end, options that come again. */

import type { Command } from "commander";
import { Option } from "commander";

import type { ExitCode } from "../../report/exit-codes.ts";
import type { Context } from "../context.ts";

export type Action<Flags> = (flags: Flags, context: Context) => Promise<ExitCode>;

/**
 * Ends the declaration of a command: its action is loaded when it is called for, as not every one
 * needs a web server, and is given options and arguments by their names. The examples are lines at
 * the end of its help; test/docs runs every one of them.
 */
export type Declare = <Flags>(
  command: Command,
  load: () => Promise<Action<Flags>>,
  ...examples: readonly string[]
) => void;

/** An option that may be given several times. */
export function repeatable(flags: string, about: string): Option {
  const collect = (value: string, earlier: readonly string[]) => [...earlier, value];
  return new Option(flags, `${about} (repeatable)`).argParser(collect).default([]);
}

/** What is loaded or watched: the service of a target file, or an embedded one. */
export function subjectOptions(command: Command): Command {
  return command
    .option("--target <file>", "target file (YAML)")
    .option("--variant <name>", "embedded service only: a or b")
    .addOption(repeatable("--fault <name>", "embedded service only: break a promise"))
    .option(
      "--time-scale <share>",
      "embedded service only: scale of its times; 0.05 is 20 times faster",
    );
}

/** Commander gives `true` where the address is left out. */
export function traceOption(command: Command): void {
  const what = "send a W3C traceparent; with an address, link traces: https://.../{traceId}";
  command.option("--trace [url]", what);
}

export function labelOption(command: Command, where: string): void {
  command.addOption(repeatable("--label <pair>", `name=value, into ${where}`));
}
