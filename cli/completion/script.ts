/** Completion scripts for shells, made of the program's own commands, options and their values. */

import type { Command } from "commander";

import { bashScript } from "./bash.ts";
import { completedOf } from "./commands.ts";
import { fishScript } from "./fish.ts";
import type { Shell } from "./values.ts";
import { zshScript } from "./zsh.ts";

export function completionScript(shell: Shell, program: Command): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completedOf(program));
}
