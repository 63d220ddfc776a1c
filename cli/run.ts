/** Reads argv and environment, runs one command, exits with its code. */

import { EXIT } from "../report/exit-codes.ts";
import { createAsk } from "./ask.ts";
import type { Context } from "./context.ts";
import { watchSignals } from "./interrupt.ts";
import { createOutput } from "./output.ts";
import { presentError } from "./present-error.ts";
import { runProgram } from "./program.ts";

const output = createOutput(process.env);
const interruption = watchSignals();
const context: Context = {
  environment: process.env,
  output,
  ask: createAsk(interruption.signal),
  ...interruption,
};

/** A reader that has seen enough, such as `head`, closes the pipe; the verdict stays what it is. */
const lost = new Set<string>();
process.stderr.on("error", () => {});
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") lost.add(error.code ?? error.message);
});
process.on("uncaughtException", (error) => process.exit(presentError(error, context)));

const exitCode = await runProgram(process.argv.slice(2), context).catch((error: unknown) =>
  presentError(error, context),
);
await new Promise((resolve) => process.stdout.write("", resolve));
for (const why of lost) output.say(`error (output-lost): cannot write to stdout (${why})\n`);
// An open connection somewhere must not keep a finished command alive.
process.exit(lost.size === 0 ? exitCode : EXIT.noVerdict);
