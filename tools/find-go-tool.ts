/** Prints the path of a tool in Go, built first if need be; progress goes to stderr. */

import { findAmtool } from "./amtool-binary.ts";
import { findPrometheus } from "./prometheus-binary.ts";
import { findPromtool } from "./promtool-binary.ts";

const PREFIX = "plumbline set-up: ";
const TOOLS = { promtool: findPromtool, prometheus: findPrometheus, amtool: findAmtool };

const [name = ""] = process.argv.slice(2);

try {
  const known = Object.entries(TOOLS).find(([each]) => each === name);
  if (known === undefined) {
    const expected = `expected one of: ${Object.keys(TOOLS).join(", ")}`;
    throw new Error(`unknown tool "${name}"; ${expected}`);
  }
  const onProgress = (text: string) => process.stderr.write(`${PREFIX}${text}\n`);
  process.stdout.write(`${await known[1](process.env, onProgress)}\n`);
} catch (error) {
  process.stderr.write(`${PREFIX}${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 104;
}
