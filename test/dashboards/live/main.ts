/**
 * Runs the faults of the live test against a real Prometheus and writes what they raised to
 * docs/alerts-live.md. Exit code 1 when an alert was missed, late, wrong or did not clear.
 *
 * npm run alerts:live -- [--only PATTERN] [--boards]
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../../runner/package-root.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { tell } from "../../program.ts";
import type { CaseResult } from "./case-result.ts";
import { faultsOf } from "./case-result.ts";
import { CASES } from "./cases.ts";
import { runLive } from "./run-live.ts";
import type { Kept } from "./table.ts";
import { alertsPage, keptOf } from "./table.ts";

const PAGE = path.join(ROOT, "docs/alerts-live.md");
/** Results of cases by name, from this run and earlier ones. */
const JOURNAL = path.join(ROOT, ".plumbline/alerts-live.json");

const { values } = parseArgs({
  options: {
    /** A regular expression on the names of cases; the results of others stay as they were. */
    only: { type: "string" },
    /** Looks at the boards as well, which need all cases; so it is without --only. */
    boards: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const cases = CASES.filter(({ id }) => new RegExp(values.only ?? "").test(id));
  await using folder = await temporaryFolder();
  const withBoards = values.boards || values.only === undefined;
  const { results, wrongBoards, seconds } = await runLive(cases, {
    folder: folder.path,
    withBoards,
    tell,
  });
  const missed = results.flatMap((each) => {
    return faultsOf(each).map((fault) => `${each.case.id}: ${fault}`);
  });
  const wrong = [...wrongBoards, ...missed];
  tell(`${cases.length} cases in ${seconds} s, ${wrong.length} things wrong`);
  for (const each of wrong) tell(each);
  if (wrong.length > 0) process.exitCode = 1;
  await keep(results);
}

async function keep(results: readonly CaseResult[]): Promise<void> {
  const text = await readFile(JOURNAL, "utf8").catch(() => "{}");
  const known = JSON.parse(text) as Record<string, Kept>;
  for (const result of results) known[result.case.id] = keptOf(result);
  await mkdir(path.dirname(JOURNAL), { recursive: true });
  await writeFile(JOURNAL, JSON.stringify(known, null, 2));
  const missing = CASES.filter(({ id }) => known[id] === undefined);
  if (missing.length > 0) tell(`${missing.length} cases have no result yet`);
  await writeFile(PAGE, alertsPage(CASES, known));
}

await main();
