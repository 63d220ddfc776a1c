/** Writes a file that the caller named. */

import { access, constants, stat, writeFile } from "node:fs/promises";
import path from "node:path";

import { causeOf } from "../../contract/text/thrown.ts";
import { UsageError } from "../usage-error.ts";

/** Throws UsageError, by the option that named it, where it can't be written. */
export async function writeGiven(
  option: string,
  file: string,
  text: string,
  flag: "w" | "wx" = "w",
): Promise<void> {
  await writeFile(file, text, { flag }).catch((error: unknown) => {
    throw unwritable(option, file, causeOf(error), error);
  });
}

/** Throws what writing would throw in the end, before anything is asked for the file. */
export async function refuseUnwritable(
  option: string,
  file: string,
  flag: "w" | "wx",
): Promise<void> {
  const found = await stat(file).catch(() => null);
  const isThere = found !== null;
  if (isThere && flag === "wx") throw unwritable(option, file, "EEXIST");
  if (found?.isDirectory()) throw unwritable(option, file, "EISDIR");
  const place = isThere ? file : path.dirname(path.resolve(file));
  await access(place, constants.W_OK).catch((error: unknown) => {
    throw unwritable(option, file, causeOf(error), error);
  });
}

function unwritable(option: string, file: string, why: string, cause?: unknown): UsageError {
  const expected = why === "EEXIST" ? "another name, or --force" : "a file in a writable folder";
  const problem = `${option}: cannot write "${file}" (${why}); expected ${expected}`;
  return new UsageError("invalid-option", [problem], { cause });
}
