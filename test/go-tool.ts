/** Tools in Go that tests run. */

import { findGoTool } from "../tools/go-tool.ts";
import { tell } from "./program.ts";

/** Ours: a tool may have to be built first. */
export const TOOL_MS = 1_800_000;

/** The path of a tool; one that is not there is built. */
export function goTool(name: Parameters<typeof findGoTool>[0]): Promise<string> {
  return findGoTool(name, process.env, tell);
}
