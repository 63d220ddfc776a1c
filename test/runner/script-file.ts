/** Writes small k6 scripts that behave as scenarios do, or as they should not. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { PromiseId } from "../../contract/promises.ts";
import { formatRecord } from "../../contract/run/evidence.ts";
import { kept } from "../../contract/verdict.ts";

const NAME = "sample";

export const REGISTERED = (promises: readonly PromiseId[]) =>
  formatRecord({ type: "registered", scenario: NAME, promises, atMs: 0 });
export const KEPT = (promise: PromiseId) =>
  formatRecord({ type: "finding", scenario: NAME, finding: kept(promise, "seen to hold") });
export const PROGRESS = formatRecord({ type: "progress", scenario: NAME, text: "half is done" });
export const SETTLED = formatRecord({ type: "settled", scenario: NAME });
export const ENDED = formatRecord({ type: "ended", scenario: NAME, atMs: 0 });

/** A script that prints the lines one after the other and then runs the statements. */
export async function scriptFile(
  folder: string,
  lines: readonly string[],
  statements = "",
): Promise<string> {
  const file = path.join(folder, `script-${lines.length}-${statements.length}.ts`);
  const prints = lines.map((line) => `  console.log(${JSON.stringify(line)});`);
  const text = [
    'import { sleep } from "k6";',
    "export const options = { vus: 1, iterations: 1 };",
    "export default function () {",
    ...prints,
    `  ${statements}`,
    "}",
    "export function teardown() { sleep(0); }",
  ].join("\n");
  await writeFile(file, text);
  return file;
}
