/** `plumbline completion SHELL`: a script that completes commands, options and their values. */

import type { Command } from "commander";
import { EXIT } from "../../report/exit-codes.ts";
import { bashScript } from "../completion/bash.ts";
import { completedOf } from "../completion/commands.ts";
import { fishScript } from "../completion/fish.ts";
import { SHELLS } from "../completion/values.ts";
import { zshScript } from "../completion/zsh.ts";
import type { Action } from "../program/shared.ts";
import { OptionReader } from "../values/option-reader.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionOf(program: Command): Action<{ shell: string }> {
  return async ({ shell }, { output }) => {
    const options = new OptionReader();
    const known = options.oneOf("completion", shell, SHELLS);
    options.finish();
    if (known !== null) output.result(SCRIPTS[known](completedOf(program)));
    return EXIT.ok;
  };
}
