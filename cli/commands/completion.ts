/** `plumbline completion SHELL`: a script that completes commands, options and their values. */

import type { Command } from "commander";

import { EXIT } from "../../report/exit-codes.ts";
import { completionScript } from "../completion/script.ts";
import { SHELLS } from "../completion/values.ts";
import type { Action } from "../program/shared.ts";
import { OptionReader } from "../values/option-reader.ts";

export function completionOf(program: Command): Action<{ shell: string }> {
  return async ({ shell }, { output }) => {
    const options = new OptionReader();
    const known = options.oneOf("completion", shell, SHELLS);
    options.finish();
    if (known !== null) output.result(completionScript(known, program));
    return EXIT.ok;
  };
}
