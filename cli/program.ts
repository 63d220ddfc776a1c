/** The program `plumbline`: its commands, its help, and how a wrong call is answered. */

import type { Argument, Option } from "commander";
import { Command, CommanderError } from "commander";

import type { ExitCode } from "../report/exit-codes.ts";
import { EXIT } from "../report/exit-codes.ts";
import { packageVersion } from "../runner/package-root.ts";
import type { Context } from "./context.ts";
import { addExplaining, addFileCommands } from "./program/files.ts";
import { addBaseline, addCapacity, addCompare, addGate } from "./program/judging.ts";
import { addProbe, addReference, addSink } from "./program/services.ts";
import type { Action, Declare } from "./program/shared.ts";
import { addKubernetes, addMerge } from "./program/shared-load.ts";
import { addStarting } from "./program/starting.ts";

export async function runProgram(args: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const declare: Declare = <Flags>(
    command: Command,
    load: () => Promise<Action<Flags>>,
    ...examples: readonly string[]
  ) => {
    command.action(async () => {
      exitCode = await (await load())(given(command) as Flags, context);
    });
    const lines = examples.flatMap((line) => shellLines(`plumbline ${line}`));
    showExamples(command, lines);
    // A command of commands shows the examples of all of them.
    if (command.parent?.parent) showExamples(command.parent, lines);
  };
  const program = createProgram(context);
  const additions = [
    addStarting,
    addGate,
    addProbe,
    addCapacity,
    addCompare,
    addBaseline,
    addReference,
    addSink,
    addKubernetes,
    addMerge,
    addExplaining,
    addFileCommands,
  ];
  for (const add of additions) add(program, declare);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exitCode;
}

function showExamples(command: Command, lines: readonly string[]): void {
  const shown = EXAMPLES.get(command);
  if (shown !== undefined) {
    shown.push(...lines);
    return;
  }
  const own = [...lines];
  EXAMPLES.set(command, own);
  command.addHelpText("after", () => `\nExamples:\n${own.map((line) => `  ${line}`).join("\n")}`);
}

const EXAMPLES = new WeakMap<Command, string[]>();

/** Fits a terminal of 80 columns: continued before an option, as a shell takes it. */
function shellLines(call: string): string[] {
  const [first = "", ...options] = call.split(/ (?=--)/);
  const lines = [first];
  for (const option of options) {
    const last = lines.at(-1) ?? "";
    if (last.length + option.length < EXAMPLE_CHARS_MAX) lines.push(`${lines.pop()} ${option}`);
    else lines.push(`${lines.pop()} \\`, `  ${option}`);
  }
  return lines;
}

/** 80 columns without the indent and the backslash. */
const EXAMPLE_CHARS_MAX = 75;

/** Options and arguments, by their names. */
function given(command: Command): object {
  const { registeredArguments, processedArgs } = command;
  const named = registeredArguments.map((each, at) => [each.name(), processedArgs[at] as unknown]);
  return { ...command.opts(), ...Object.fromEntries(named) };
}

function createProgram({ output }: Context): Command {
  return new Command("plumbline")
    .description("Tells whether an asynchronous job service keeps its promises.")
    .version(packageVersion())
    .showHelpAfterError("(add --help for the options)")
    .configureOutput({
      writeOut: (text) => output.result(text),
      writeErr: (text) => output.say(text),
      outputError: (text, write) => write(text.replace(/^error: /, "error (invalid-option): ")),
      getOutHelpWidth: () => output.results.width,
      getErrHelpWidth: () => output.talk.width,
    })
    .configureHelp({
      optionDescription: withDefault,
      argumentDescription: withDefault,
      subcommandTerm: (command) => command.name(),
    })
    .addHelpText("after", EXIT_CODES)
    .exitOverride();
}

/** Defaults that are a word or a number; "off" and "none" go without saying. */
function withDefault({ description, defaultValue }: Option | Argument): string {
  return typeof defaultValue === "string" && defaultValue !== ""
    ? `${description} (default: ${defaultValue})`
    : description;
}

const EXIT_CODES = `
Exit codes:
  ${EXIT.ok}    pass: something kept, nothing broken, nothing in doubt
  ${EXIT.broken}   a promise is broken
  ${EXIT.usage}  bad usage or configuration
  ${EXIT.interrupted}  interrupted
  ${EXIT.noVerdict}  no verdict: target unreachable, evidence too weak, or a Plumbline error

Start with: plumbline init https://api.example.com
plumbline COMMAND --help lists the options of a command, with examples.`;
