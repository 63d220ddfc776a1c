/** Completion for bash, from 3.2 on. */

import type { Completed } from "./commands.ts";
import { valuedOptions } from "./commands.ts";
import type { Values } from "./values.ts";

/** The first words that name a command pick it; then a value, an option or an argument is due. */
export function bashScript(commands: readonly Completed[]): string {
  const known = commands.slice(1).map(({ words }) => `"${words}"`);
  const valued = valuedOptions(commands);
  const variadic = valued.filter(({ isVariadic }) => isVariadic).map(({ long }) => long);
  return `# Completion of plumbline for bash: source <(plumbline completion bash)
_plumbline() {
  local cur="" raw lead="" command="" option="" choices="" kind="words" word all=() count=0 place=0
  # bash takes words apart at "=".
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $count -gt 0 && ( "$word" == "=" || "$cur" == *= ) ]]; then all[count-1]+="$word"
    else all[count]="$word"; (( count += 1 )); fi
    cur="\${all[count-1]}"
  done
  for word in "\${all[@]:0:count-1}"; do
    case "$option|$word" in
      ${variadic.map((long) => `"${long}|"[!-]*`).join("|")}) continue ;;
      "|"*) ;;
      ${variadic.map((long) => `"${long}|"*`).join("|")}) option="" ;;
      *) option=""; continue ;;
    esac
    case "$word" in
      ${valued.map(({ long }) => long).join("|")}) option="$word"; continue ;;
      -*) continue ;;
    esac
    case "$command\${command:+ }$word" in
      ${known.join("|")}) command="$command\${command:+ }$word" ;;
      *) (( place += 1 )) ;;
    esac
  done
  case "$option|$cur" in ${variadic.map((long) => `"${long}|-"*`).join("|")}) option="" ;; esac
  [[ -z "$option" && "$cur" == --*=* ]] && option="\${cur%%=*}" && lead="$option="
  if [[ -n "$option" ]]; then
    case "$option" in
${valued.map(({ long, values }) => `      ${long}) ${offered(values)} ;;`).join("\n")}
    esac
  elif [[ "$cur" != -* ]]; then
    case "$command|$place" in
${commands.flatMap(placeCases).join("\n")}
      *) kind="options" ;;
    esac
  else
    kind="options"
  fi
  if [[ "$kind" == "options" ]]; then
    case "$command" in
${commands.map(optionCase).join("\n")}
    esac
  fi
  raw="\${COMP_WORDS[COMP_CWORD]#=}"
  [[ "$kind" == "list" && "$cur" == *,* ]] && lead="\${cur%,*},"
  COMPREPLY=()
  case "$kind" in
    files) return ;;
    directories)
      local IFS=$'\\n'
      COMPREPLY=($(compgen -d -- "$raw"))
      compopt +o default -o filenames 2>/dev/null
      return ;;
  esac
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -P "$lead" -W "$choices" -- "\${cur#"$lead"}"))
  COMPREPLY=("\${COMPREPLY[@]#"\${cur%"$raw"}"}")
  [[ "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _plumbline plumbline
`;
}

function offered(values: Values): string {
  const kind = `kind="${values.kind}"`;
  return "words" in values ? `${kind} choices="${values.words.join(" ")}"` : kind;
}

function placeCases(each: Completed): readonly string[] {
  if (each.subcommands.length > 0) {
    const names = each.subcommands.map(({ name }) => name).join(" ");
    return [`      "${each.words}|0") choices="${names}" ;;`];
  }
  return each.arguments.map(({ values, isVariadic }, at) => {
    const place = isVariadic ? `"${each.words}|"*` : `"${each.words}|${at}"`;
    return `      ${place}) ${offered(values)} ;;`;
  });
}

function optionCase({ words, options }: Completed): string {
  return `      "${words}") choices="${options.map(({ long }) => long).join(" ")}" ;;`;
}
