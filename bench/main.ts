/**
 * All rows of the benchmark, one after the other; prints one table, and writes it into
 * docs/measurements.md and what it is made of into docs/measurements.json.
 *
 * npm run bench -- [--only soak,starts]
 */

import { spawnSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import type { ToldRow } from "./row.ts";
import { FOLDER, lineOf, TABLE_HEAD, toldRow } from "./row.ts";

/** In the order in which they run. */
const ROWS = [
  "./starts.ts",
  "./requests.ts",
  "./series.ts",
  "./reference-service.ts",
  "./receiver.ts",
  "./probe-polls.ts",
  "./probe-in-flight.ts",
  "./probe-idle.ts",
  "./stalls.ts",
  "./shards.ts",
  "./soak.ts",
];
/** Ours: three times what the slowest takes. */
const ROW_MS_MAX = 900_000;

const { values } = parseArgs({ options: { only: { type: "string" } } });
const only = values.only?.split(",") ?? null;
const asked = ROWS.filter((file) => only?.includes(path.basename(file, ".ts")) ?? true);

if (only === null) await rm(FOLDER, { recursive: true, force: true });
const missed = asked.filter((file) => {
  process.stderr.write(`bench: ${path.basename(file, ".ts")}\n`);
  const script = path.join(import.meta.dirname, file);
  const stdio = ["ignore", "inherit", "inherit"] as const;
  const options = { stdio: [...stdio], timeout: ROW_MS_MAX };
  return spawnSync(process.execPath, [script], options).status !== 0;
});

const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".json"));
const rows = await Promise.all(
  names.map(async (name): Promise<ToldRow> => {
    return toldRow.parse(JSON.parse(await readFile(path.join(FOLDER, name), "utf8")));
  }),
);
rows.sort((a, b) => a.atMs - b.atMs);
const table = TABLE_HEAD + rows.map(lineOf).join("");
process.stdout.write(`\n${table}`);

const DOCUMENT = path.join(import.meta.dirname, "../docs/measurements.md");
const FIGURES = path.join(import.meta.dirname, "../docs/measurements.json");
const MARKED = /(<!-- bench: .* -->\n)[\s\S]*?(<!-- end of bench -->)/;
const text = await readFile(DOCUMENT, "utf8");
await writeFile(
  DOCUMENT,
  text.replace(MARKED, (_, head, end) => `${head}\n${table}\n${end}`),
);
// A line for each row, so that a change of one shows as one.
await writeFile(FIGURES, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
if (missed.length > 0) {
  process.stderr.write(`bench: did not end well: ${missed.join(", ")}\n`);
  process.exitCode = 1;
}
