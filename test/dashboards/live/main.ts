/**
 * Runs every fault of the live test against a real Prometheus and writes docs/alerts-live.md. Exit
 * code 1 when an alert was missed, late, wrong or did not clear.
 *
 * npm run alerts:live -- [--only PATTERN]
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { CASES } from "./cases.ts";
import { runLive } from "./run-live.ts";
import { alertsPage } from "./table.ts";

const PAGE = path.resolve(import.meta.dirname, "../../../docs/alerts-live.md");

const { values } = parseArgs({
  options: {
    /** A regular expression on the names of cases; the page is written only without it. */
    only: { type: "string" },
  },
});

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const { only } = values;
  const cases = CASES.filter(({ id }) => new RegExp(only ?? "").test(id));
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-live-"));
  try {
    const live = await runLive(cases, { folder, withBoards: only === undefined, tell });
    const { results, wrong, seconds } = live;
    tell(`${cases.length} cases in ${seconds} s, ${wrong.length} things wrong`);
    for (const each of wrong) tell(each);
    if (wrong.length > 0) process.exitCode = 1;
    if (only === undefined) await writeFile(PAGE, alertsPage(results, seconds));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
