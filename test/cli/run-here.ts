/**
 * Runs the command line in this process, which saves a start each: what is left out is cli/run.ts,
 * which reads argv and environment and exits.
 */

import type { Context } from "../../cli/context.ts";
import { presentError } from "../../cli/present-error.ts";
import { runProgram } from "../../cli/program.ts";
import type { CliOptions, CliRun } from "./run-cli.ts";
import { environmentOf } from "./run-cli.ts";

/** As a file is written to: no colour, a hundred columns, nothing shortened, nobody to ask. */
const STYLE = { color: false, width: 100, live: false, whole: true };

export async function runHere(
  args: readonly string[],
  { environment = {} }: Pick<CliOptions, "environment"> = {},
): Promise<CliRun> {
  let redact = (text: string): string => text;
  const run: CliRun = { exitCode: null, stdout: "", stderr: "" };
  const context: Context = {
    environment: environmentOf(environment),
    output: {
      result(text) {
        run.stdout += redact(text);
      },
      say(text) {
        run.stderr += redact(text);
      },
      talk: STYLE,
      results: STYLE,
      hide(hideSecrets) {
        redact = hideSecrets;
      },
    },
    ask: null,
    signal: new AbortController().signal,
    onHangUp: () => () => {},
  };
  run.exitCode = await runProgram(args, context).catch((error: unknown) =>
    presentError(error, context),
  );
  return run;
}
