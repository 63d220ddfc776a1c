/** Prints the path of a tool in Go, built first if need be; progress goes to stderr. */

import { messageOf } from "../contract/text/thrown.ts";
import { findGoTool, GO_TOOLS, isGoTool } from "./go-tool.ts";

const PREFIX = "plumbline set-up: ";

const [name = ""] = process.argv.slice(2);

try {
  if (!isGoTool(name)) {
    const expected = `expected one of: ${Object.keys(GO_TOOLS).join(", ")}`;
    throw new Error(`unknown tool "${name}"; ${expected}`);
  }
  const onProgress = (text: string) => process.stderr.write(`${PREFIX}${text}\n`);
  process.stdout.write(`${await findGoTool(name, process.env, onProgress)}\n`);
} catch (error) {
  process.stderr.write(`${PREFIX}${messageOf(error)}\n`);
  process.exitCode = 104;
}
