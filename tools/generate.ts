/**
 * Writes the files that follow from the code: JSON Schemas and the lists in docs/; with
 * --check only says which are not current. Run: npm run generate
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { capacityJsonSchema } from "../report/capacity-model.ts";
import { reportJsonSchema } from "../report/model.ts";
import { faultsPage } from "./generated/faults-page.ts";
import { promisesPage } from "./generated/promises-page.ts";

const ROOT = path.join(import.meta.dirname, "..");

const GENERATED: Readonly<Record<string, () => string>> = {
  "schemas/report.schema.json": reportJsonSchema,
  "schemas/capacity.schema.json": capacityJsonSchema,
  "docs/promises.md": promisesPage,
  "docs/faults.md": faultsPage,
};

for (const [name, text] of Object.entries(GENERATED)) {
  const file = path.join(ROOT, name);
  const written = await readFile(file, "utf8").catch(() => "");
  if (written === text()) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${name} is not current; run npm run generate\n`);
    process.exitCode = 1;
  } else {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text());
    process.stderr.write(`wrote ${name}\n`);
  }
}
