/** Reads a JSON file that Plumbline wrote earlier, and says in a sentence what is wrong with it. */

import { readFile } from "node:fs/promises";
import type { z } from "zod";

import { pathText } from "./target-file/location.ts";
import { UsageError } from "./usage-error.ts";

/** Throws UsageError where it can't be read or is something else. `what`: "a comparison.json". */
export async function readJsonFile<Value>(
  file: string,
  schema: z.ZodType<Value>,
  what: string,
): Promise<Value> {
  const value = parsed(file, await textOf(file, what), what);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
    return `"${file}": ${pathText(steps)}: ${message}; expected ${what}`;
  });
  throw new UsageError("invalid-file", problems);
}

async function textOf(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new UsageError("unreadable-file", [`cannot read "${file}" (${code}); expected ${what}`]);
  }
}

function parsed(file: string, text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError("invalid-file", [`"${file}" is no JSON; expected ${what}`]);
  }
}
