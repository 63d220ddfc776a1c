/** Completion scripts for shells, made of the program's own commands and options. */

import type { Command, Option } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

interface Completed {
  /** Words after the program's name: "", "gate", "baseline accept". */
  words: string;
  description: string;
  options: readonly Option[];
  subcommands: readonly Command[];
}

export function completionScript(shell: Shell, program: Command): string {
  const commands = completedOf(program, "");
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

function completedOf(command: Command, words: string): readonly Completed[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((each) => each.name() !== "help");
  const own = { words, description: command.description(), subcommands };
  return [
    { ...own, options: help.visibleOptions(command) },
    ...subcommands.flatMap((each) => completedOf(each, `${words} ${each.name()}`.trim())),
  ];
}

function longNames({ options }: Completed): string {
  return options.flatMap(({ long }) => (long ? [long] : [])).join(" ");
}

function names({ subcommands }: Completed): string {
  return subcommands.map((each) => each.name()).join(" ");
}

/** The first words that name a command pick it; files complete by default. */
function bashScript(commands: readonly Completed[]): string {
  const known = commands.slice(1).map(({ words }) => `"${words}"`);
  const cases = commands.map((each) => {
    return `    "${each.words}") choices="${`${names(each)} ${longNames(each)}`.trim()}" ;;`;
  });
  return `# Completion of plumbline for bash: source <(plumbline completion bash)
_plumbline() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words="" word choices=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    word="\${words:+$words }$word"
    case "$word" in
      ${known.join("|")}) words="$word" ;;
      *) break ;;
    esac
  done
  case "$words" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$cur"))
}
complete -o default -F _plumbline plumbline
`;
}

function zshScript(commands: readonly Completed[]): string {
  const [root, ...others] = commands;
  const described = (root?.subcommands ?? []).map((each) => {
    return `    ${quoted(`${each.name()}:${each.description()}`)}`;
  });
  const cases = others.map((each) => {
    const specs = each.options.flatMap(zshOption).map((spec) => `      ${quoted(spec)} \\`);
    const sub = names(each) === "" ? "'*:file:_files'" : `'1:command:(${names(each)})'`;
    return `    ${quoted(each.words)}) _arguments \\\n${specs.join("\n")}\n      ${sub} ;;`;
  });
  return `#compdef plumbline
# Completion of plumbline for zsh: plumbline completion zsh > a folder of $fpath/_plumbline
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
    .filter((each) => names(each) !== "")
    .map(({ words }) => words)
    .join("|");
}

function zshOption({ long, description, required }: Option): readonly string[] {
  if (!long) return [];
  const text = description.replace(/[[\]:\\]/g, "\\$&");
  return [`${long}[${text}]${required ? ":value:_files" : ""}`];
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap((each) => {
    const at = each.words === "" ? "__fish_use_subcommand" : seenText(each.words);
    const sub = each.subcommands.map((command) => {
      const text = quoted(command.description());
      return `complete -c plumbline -n ${quoted(at)} -a ${command.name()} -d ${text}`;
    });
    const options = each.options.flatMap(({ long, description, required }) => {
      const name = long?.replace(/^--/, "");
      const value = required ? " -r" : "";
      const text = quoted(description);
      return name ? [`complete -c plumbline -n ${quoted(at)} -l ${name}${value} -d ${text}`] : [];
    });
    return [...sub, ...options];
  });
  const how = "plumbline completion fish > ~/.config/fish/completions/plumbline.fish";
  return `# Completion of plumbline for fish: ${how}\n${lines.join("\n")}\n`;
}

function seenText(words: string): string {
  const seen = words.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  return seen.join("; and ");
}

/** A word of the shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
