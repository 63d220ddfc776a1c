/** Completion for zsh. */

import type { Completed, CompletedOption } from "./commands.ts";
import { valuedOptions } from "./commands.ts";
import { quoted } from "./quoted.ts";
import type { Values } from "./values.ts";

export function zshScript(commands: readonly Completed[]): string {
  const [root, ...others] = commands;
  const described = (root?.subcommands ?? []).map(({ name, description }) => {
    return `    ${quoted(`${name}:${description}`)}`;
  });
  const cases = others.map((each) => {
    const specs = [...each.options.map(optionSpec), ...placeSpecs(each)].map(quoted);
    return `    ${quoted(each.words)}) _arguments \\\n      ${specs.join(" \\\n      ")} ;;`;
  });
  const functions = [
    ...valuedOptions(commands).flatMap(({ long, values }) => valuesFunction(long, values)),
    ...others.flatMap((each) =>
      each.arguments.flatMap(({ name, values }) => valuesFunction(placeName(each, name), values)),
    ),
  ];
  return `#compdef plumbline
# Completion of plumbline for zsh: plumbline completion zsh > a folder of $fpath/_plumbline
${functions.join("\n")}
_plumbline() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name="$words[2]"
  if [[ "$name" == (${groupNames(others)}) && CURRENT -gt 3 ]]; then
    name="$name $words[3]"
    shift 1 words
    (( CURRENT-- ))
  fi
  shift 1 words
  (( CURRENT-- ))
  case "$name" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _plumbline ]; then _plumbline "$@"; else compdef _plumbline plumbline; fi
`;
}

function groupNames(commands: readonly Completed[]): string {
  return commands
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ words }) => words)
    .join("|");
}

function placeName({ words }: Completed, name: string): string {
  return `${words.replaceAll(" ", "-")}-${name}`;
}

function functionName(name: string): string {
  return `_plumbline-${name.replace(/^--/, "")}`;
}

/** Of words: the others are zsh's own. */
function valuesFunction(name: string, values: Values): readonly string[] {
  if (!("words" in values)) return [];
  const isPair = values.words.some((word) => word.endsWith("="));
  const list = values.kind === "list" ? "compset -P '*,'; " : "";
  const add = `compadd ${isPair ? "-S '' " : ""}-- ${values.words.join(" ")}`;
  return [`${functionName(name)}() { ${list}${add} }`];
}

function action(name: string, values: Values): string {
  if (values.kind === "files") return "_files";
  if (values.kind === "directories") return "_files -/";
  return values.kind === "none" ? " " : functionName(name);
}

function optionSpec({ long, description, values, ...option }: CompletedOption): string {
  const text = `[${description.replace(/[[\]:\\]/g, "\\$&")}]`;
  if (values === null) return `${long}${text}`;
  const many = option.isRepeatable ? "*" : "";
  return `${many}${long}=${text}:value:${action(long, values)}`;
}

function placeSpecs(each: Completed): readonly string[] {
  if (each.subcommands.length > 0) {
    return [`1:command:(${each.subcommands.map(({ name }) => name).join(" ")})`];
  }
  // zsh's own way would take the option behind the values for one of them.
  const more = each.options.flatMap(({ long, values, isVariadic }) => {
    return isVariadic && values !== null ? [`*:value:${action(long, values)}`] : [];
  });
  const places = each.arguments.map(({ name, values, isVariadic }, at) => {
    return `${isVariadic ? "*" : at + 1}:${name}:${action(placeName(each, name), values)}`;
  });
  return [...places, ...more.slice(0, 1)];
}
