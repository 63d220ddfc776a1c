/**
 * Writes schemas/report.schema.json from the one definition in model.ts; with --check only says
 * whether it is current. Run: node tools/report-schema.ts [--check]
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { reportJsonSchema } from "../report/model.ts";

const folder = join(import.meta.dirname, "..", "schemas");
const file = join(folder, "report.schema.json");
const current = reportJsonSchema();

if (process.argv.includes("--check")) {
  const written = await readFile(file, "utf8").catch(() => "");
  if (written !== current) {
    process.stderr.write(`${file} is not current; run node tools/report-schema.ts\n`);
    process.exitCode = 1;
  }
} else {
  await mkdir(folder, { recursive: true });
  await writeFile(file, current);
}
