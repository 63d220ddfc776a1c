/** `plumbline completion SHELL`: a script that completes commands and options. */

import type { Command } from "commander";

import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { completionScript, SHELLS } from "../completion.ts";
import type { Context } from "../context.ts";
import { OptionReader } from "../options.ts";

export async function completionCommand(
  { shell, program }: { shell: string; program: Command },
  { output }: Context,
): Promise<ExitCode> {
  const options = new OptionReader();
  const known = options.oneOf("completion", shell, SHELLS);
  options.finish();
  if (known !== null) output.result(completionScript(known, program));
  return EXIT.ok;
}
