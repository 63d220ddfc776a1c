/** Reads a JSON file that Plumbline wrote earlier, and says in a sentence what is wrong with it. */

import { readFile } from "node:fs/promises";
import type { z } from "zod";

import { codeOf } from "../../contract/text/thrown.ts";
import { pathText } from "../target-file/location.ts";
import type { UsageCode } from "../usage-error.ts";
import { UsageError } from "../usage-error.ts";

/** Throws UsageError where it can't be read or is something else. `what`: "a comparison.json". */
export async function readJsonFile<Value>(
  file: string,
  schema: z.ZodType<Value>,
  what: string,
): Promise<Value> {
  return fitting(file, await parsedFile(file, what), schema, what);
}

/** The value as the schema has it. Throws UsageError with what does not fit. */
export function fitting<Value>(
  file: string,
  value: unknown,
  schema: z.ZodType<Value>,
  what: string,
  code: UsageCode = "invalid-file",
): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const texts = misfits(result.error);
  throw new UsageError(
    code,
    texts.map((text) => `"${file}": ${text}; expected ${what}`),
  );
}

/** Ours: a file in which more than that does not fit is another kind of file altogether. */
const TOLD_MAX = 3;

/** Which members do not fit, and why; of another kind of file the first alone. */
function misfits({ issues }: z.ZodError): string[] {
  const texts = issues.map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
    return steps.length === 0 ? message : `${pathText(steps)}: ${message}`;
  });
  const [first = "it does not fit"] = texts;
  if (texts.length <= TOLD_MAX) return texts;
  return [`${first}; ${texts.length - 1} more members do not fit`];
}

/** `named`: how the file is called where it can't be read. Throws UsageError. */
export async function textIn(file: string, what: string, named = `"${file}"`): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    const problem = `cannot read ${named} (${codeOf(error) ?? "unreadable"}); expected ${what}`;
    throw new UsageError("unreadable-file", [problem], { cause: error });
  });
}

/** `named`: how the file is called where it can't be read. Throws UsageError. */
export async function parsedFile(
  file: string,
  what: string,
  { code = "invalid-file" as UsageCode, named = `"${file}"` } = {},
): Promise<unknown> {
  const text = await textIn(file, what, named);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(code, [`"${file}" is not JSON; expected ${what}`]);
  }
}
