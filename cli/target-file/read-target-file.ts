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

const LINE_FEED = 0x0a;

/** Ours: a target file has some kilobytes; anything near this is another file, given by mistake. */
const FILE_BYTES_MAX = 256 * 1024;

async function readTargetFile(path: string): Promise<string> {
  const unreadable = (why: string, cause?: unknown) => {
    const problem = `cannot read the target file "${path}" (${why}); expected a YAML file in UTF-8`;
    return new UsageError("unreadable-file", [problem], { cause });
  };
  // By its beginning: a device may have no end.
  const stream = createReadStream(path, { end: FILE_BYTES_MAX });
  const bytes = await buffer(stream).catch((error: unknown) => {
    throw unreadable(codeOf(error) ?? "unreadable", error);
  });
  if (bytes.length > FILE_BYTES_MAX) throw unreadable(`more than ${FILE_BYTES_MAX} bytes`);
  if (isUtf16(bytes)) throw unreadable("it is in UTF-16, from its first bytes on");
  if (bytes.includes(0)) throw unreadable("binary data");
  const text = bytes.toString("utf8");
  const read = Buffer.from(text);
  const at = bytes.findIndex((byte, index) => byte !== read[index]);
  if (at >= 0) throw unreadable(`${placeOf(bytes, at)} is no UTF-8`);
  return text;
}

/** By its byte order mark, or by a first character that is ASCII. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (first === 0) !== (second === 0);
}

function placeOf(bytes: Buffer, at: number): string {
  const before = bytes.subarray(0, at);
  const line = before.filter((byte) => byte === LINE_FEED).length + 1;
  const column = at - before.lastIndexOf(LINE_FEED);
  return `byte 0x${bytes.toString("hex", at, at + 1)} in line ${line}, at its byte ${column},`;
}
