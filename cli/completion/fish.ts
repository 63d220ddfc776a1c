/** Completion for fish, from 3.0 on. */

import type { Completed } from "./commands.ts";
import { valuedOptions } from "./commands.ts";
import { quoted } from "./quoted.ts";
import type { Values } from "./values.ts";

export function fishScript(commands: readonly Completed[]): string {
  const functions = valuedOptions(commands).flatMap(({ long, values }) => {
    if (!("words" in values)) return [];
    return [`function ${functionName(long)}; printf '%s\\n' ${values.words.join(" ")}; end`];
  });
  const how = "plumbline completion fish > ~/.config/fish/completions/plumbline.fish";
  const lines = [...functions, "complete -c plumbline -f", ...commands.flatMap(linesOf)];
  return `# Completion of plumbline for fish: ${how}\n${lines.join("\n")}\n`;
}

function linesOf(each: Completed): readonly string[] {
  const at = each.words === "" ? "__fish_use_subcommand" : seenText(each.words);
  const line = `complete -c plumbline -n ${quoted(at)}`;
  const below = each.subcommands.map(({ name, description }) => {
    return `${line} -a ${name} -d ${quoted(description)}`;
  });
  const values = each.arguments.map((argument) => `${line}${argumentText(argument.values)}`);
  const options = each.options.map((option) => {
    const value = option.values === null ? "" : valueText(option.long, option.values);
    return `${line} -l ${nameOf(option.long)}${value} -d ${quoted(option.description)}`;
  });
  return [...below, ...values, ...options];
}

function nameOf(long: string): string {
  return long.replace(/^--/, "");
}

function functionName(long: string): string {
  return `__plumbline_${nameOf(long)}`;
}

function argumentText(values: Values): string {
  if ("words" in values) return ` -a ${quoted(values.words.join(" "))}`;
  if (values.kind === "directories") return " -a '(__fish_complete_directories)'";
  return values.kind === "files" ? " -F" : "";
}

function valueText(long: string, values: Values): string {
  if (values.kind === "files") return " -r -F";
  if (values.kind === "none") return " -x";
  if (values.kind === "directories") return " -x -a '(__fish_complete_directories)'";
  const list = values.kind === "list" ? "__fish_complete_list , " : "";
  return ` -x -a '(${list}${functionName(long)})'`;
}

function seenText(words: string): string {
  const seen = words.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  return seen.join("; and ");
}
