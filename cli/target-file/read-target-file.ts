/** Reads plumbline.yaml; only then is loaded what knows YAML, and what a target file may hold. */

import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { codeOf } from "../../contract/text/thrown.ts";
import type { Environment } from "../../runner/executables.ts";
import { UsageError } from "../usage-error.ts";
import type { LoadedTarget } from "./target-file.ts";

/** Throws UsageError as `parseTargetFile` does, and where there is no such file. */
export async function loadTargetFile(
  path: string,
  environment: Environment | null,
): Promise<LoadedTarget> {
  const text = await readTargetFile(path);
  const { parseTargetFile } = await import("./target-file.ts");
  return parseTargetFile(text, path, environment);
}

/** Ours: a target file has some kilobytes; anything near this is another file, given by mistake. */
const FILE_BYTES_MAX = 256 * 1024;

async function readTargetFile(path: string): Promise<string> {
  const unreadable = (why: string, cause?: unknown) => {
    const problem = `cannot read the target file "${path}" (${why}); expected a YAML file`;
    return new UsageError("unreadable-file", [problem], { cause });
  };
  // By its beginning: a device may have no end.
  const stream = createReadStream(path, { end: FILE_BYTES_MAX });
  const bytes = await buffer(stream).catch((error: unknown) => {
    throw unreadable(codeOf(error) ?? "unreadable", error);
  });
  if (bytes.length > FILE_BYTES_MAX) throw unreadable(`more than ${FILE_BYTES_MAX} bytes`);
  if (bytes.includes(0)) throw unreadable("binary data");
  return bytes.toString("utf8");
}
