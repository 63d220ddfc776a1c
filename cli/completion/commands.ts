/** The program's commands as completion sees them: words, options, arguments and their values. */

import type { Command, Option } from "commander";

import type { Values } from "./values.ts";
import { argumentValues, optionValues } from "./values.ts";

export interface CompletedOption {
  /** With its dashes: "--fault". */
  long: string;
  description: string;
  /** null for a switch, and for an option whose value may be left out. */
  values: Values | null;
  /** Takes all words up to the next option. */
  isVariadic: boolean;
  isRepeatable: boolean;
}

export interface Completed {
  /** Words after the program's name: "", "gate", "baseline accept". */
  words: string;
  description: string;
  options: readonly CompletedOption[];
  subcommands: readonly { name: string; description: string }[];
  arguments: readonly { name: string; values: Values; isVariadic: boolean }[];
}

/** The command, and all below it. */
export function completedOf(command: Command, words = ""): readonly Completed[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((each) => each.name() !== "help");
  const own = {
    words,
    description: command.description(),
    options: help.visibleOptions(command).flatMap(completedOption),
    subcommands: below.map((each) => ({ name: each.name(), description: each.description() })),
    arguments: command.registeredArguments.map((each) => ({
      name: each.name(),
      values: argumentValues(command, each),
      isVariadic: each.variadic,
    })),
  };
  return [own, ...below.flatMap((each) => completedOf(each, `${words} ${each.name()}`.trim()))];
}

function completedOption(option: Option): readonly CompletedOption[] {
  const { long, description, required, variadic, parseArg } = option;
  if (!long) return [];
  const values = required ? optionValues(option) : null;
  // Options that are read one by one are those that collect.
  return [{ long, description, values, isVariadic: variadic, isRepeatable: parseArg != null }];
}

/** Options that take a value, each once, however many commands have it. */
export function valuedOptions(commands: readonly Completed[]) {
  const valued = commands.flatMap(({ options }) =>
    options.flatMap(({ values, ...option }) => (values === null ? [] : [{ ...option, values }])),
  );
  return [...new Map(valued.map((option) => [option.long, option])).values()];
}
