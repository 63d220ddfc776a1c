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
  const texts = misfits(result.error);
  throw new UsageError(
    "invalid-file",
    texts.map((text) => `"${file}": ${text}; expected ${what}`),
  );
}

/** Ours: a file in which more than that does not fit is another kind of file altogether. */
const TOLD_MAX = 3;

/** Which members do not fit, and why; of another kind of file the first alone. */
export function misfits({ issues }: z.ZodError): string[] {
  const texts = issues.map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
    return steps.length === 0 ? message : `${pathText(steps)}: ${message}`;
  });
  const [first = "it does not fit"] = texts;
  if (texts.length <= TOLD_MAX) return texts;
  return [`${first}; ${texts.length - 1} more members do not fit`];
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
