/** Prints the path of the promtool to use, built first if need be; progress goes to stderr. */

import { findPromtool } from "./promtool-binary.ts";

const PREFIX = "plumbline set-up: ";

try {
  const onProgress = (text: string) => process.stderr.write(`${PREFIX}${text}\n`);
  process.stdout.write(`${await findPromtool(process.env, onProgress)}\n`);
} catch (error) {
  process.stderr.write(`${PREFIX}${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 104;
}
