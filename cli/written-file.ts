/** Writes a file that the caller named. */

import { writeFile } from "node:fs/promises";

import { causeOf } from "../contract/thrown.ts";
import { UsageError } from "./usage-error.ts";

/** Throws UsageError, by the option that named it, where it can't be written. */
export async function writeGiven(
  option: string,
  file: string,
  text: string,
  flag: "w" | "wx" = "w",
): Promise<void> {
  await writeFile(file, text, { flag }).catch((error: unknown) => {
    const why = causeOf(error);
    const expected = why === "EEXIST" ? "another name, or --force" : "a file in a writable folder";
    const problem = `${option}: cannot write "${file}" (${why}); expected ${expected}`;
    throw new UsageError("invalid-option", [problem], { cause: error });
  });
}
