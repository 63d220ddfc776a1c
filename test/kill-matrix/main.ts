/**
 * The full kill matrix: each fault in each of its variants, judged on all promises. Writes what it
 * finds to a journal, and docs/kill-matrix.md once the journal has every cell. Exit code 1 when a
 * fault was missed or a promise was called broken that isn't.
 *
 * npm run kill-matrix -- [--jobs N] [--only PATTERN] [--promises LIST] [--resume]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { askedPromises } from "./asked-promises.ts";
import type { Cell } from "./cells.ts";
import { CELLS, cellName, conditionOf, SLOWER_TIME_SCALE } from "./cells.ts";
import { isOnlyDoubtful } from "./expectation.ts";
import type { CellRecord } from "./journal.ts";
import { appendToJournal, clearJournal, readJournal } from "./journal.ts";
import type { Judged } from "./judges.ts";
import { judgeSideBySide } from "./judges.ts";
import { matrixTable, rowsOf, wrongs } from "./table.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const JOURNAL = path.join(ROOT, ".plumbline", "kill-matrix.jsonl");
const TABLE = path.join(ROOT, "docs", "kill-matrix.md");

/** Ours: runs wait more than they work; two cores bear this many without being late. */
const JOBS = "4";

const { values } = parseArgs({
  options: {
    /** Services judged side by side. */
    jobs: { type: "string", default: JOBS },
    /** A regular expression on "fault variant"; the other cells stay as they are in the journal. */
    only: { type: "string" },
    /** Promises and groups to judge, comma separated; all when left out. */
    promises: { type: "string" },
    /** Leave out the cells that the journal has and that are right. */
    resume: { type: "boolean", default: false },
  },
});

function chosenCells(known: ReadonlyMap<string, CellRecord>): readonly Cell[] {
  const pattern = new RegExp(values.only ?? "");
  const isRight = (cell: Cell) => rowsOf([cell], known).some((row) => wrongs(row).length === 0);
  return CELLS.filter((cell) => pattern.test(cellName(cell)) && !(values.resume && isRight(cell)));
}

function recordOf({ fault, variant }: Cell, judged: Judged, attempt: number): CellRecord {
  const { result, error, seconds } = judged;
  const verdicts = (result?.findings ?? []).map(({ promise, verdict, summary }) => {
    return { promise, verdict, summary: verdict === "kept" ? "" : summary };
  });
  const stopped = result?.interrupted ? "the run took too long and was stopped" : null;
  return { fault: fault.name, variant, seconds, attempt, error: error ?? stopped, verdicts };
}

/**
 * Judges the cells, and those again, alone and on a slower clock, whose own promise was left in
 * doubt.
 */
async function judgeCells(
  cells: readonly Cell[],
  known: ReadonlyMap<string, CellRecord>,
  signal: AbortSignal,
): Promise<void> {
  const only = askedPromises(values.promises);
  const doubtful: Cell[] = [];
  let done = 0;
  const run = (some: readonly Cell[], jobs: number, attempt: number) =>
    judgeSideBySide(
      some,
      jobs,
      (cell) => ({
        ...conditionOf(cell, only),
        ...(attempt > 1 ? { timeScale: SLOWER_TIME_SCALE } : {}),
      }),
      (cell, judged) => {
        const earlier = values.resume ? (known.get(cellName(cell))?.attempt ?? 0) : 0;
        const record = recordOf(cell, judged, earlier + attempt);
        done += 1;
        if (attempt === 1 && isOnlyDoubtful(cell.fault, record.verdicts)) {
          doubtful.push(cell);
          tell(`${done}/${cells.length} ${cellName(cell)}: in doubt, once more at the end`);
          return;
        }
        appendToJournal(JOURNAL, record);
        const wrong = wrongs({ cell, record });
        const verdict = wrong.length === 0 ? "right" : `WRONG\n    ${wrong.join("\n    ")}`;
        tell(`${done}/${cells.length} ${cellName(cell)} ${record.seconds.toFixed(0)} s ${verdict}`);
      },
      signal,
    );
  await run(cells, Number(values.jobs), 1);
  await run(doubtful, 1, 2);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  process.once("SIGTERM", () => controller.abort());
  return controller.signal;
}

async function main(): Promise<void> {
  if (!values.resume && values.only === undefined) clearJournal(JOURNAL);
  const known = readJournal(JOURNAL);
  const cells = chosenCells(known);
  const signal = interruptSignal();
  const startedMs = Date.now();
  await judgeCells(cells, known, signal);
  if (signal.aborted) {
    tell("interrupted; go on with --resume");
    process.exitCode = 105;
    return;
  }
  const records = readJournal(JOURNAL);
  const wrong = rowsOf(cells, records).filter((row) => wrongs(row).length > 0);
  const minutes = ((Date.now() - startedMs) / 60_000).toFixed(1);
  tell(`${cells.length} cells in ${minutes} min, ${wrong.length} wrong`);
  for (const row of wrong) tell(`${cellName(row.cell)}: ${wrongs(row).join("; ")}`);
  const rows = rowsOf(CELLS, records);
  if (rows.length === CELLS.length) writeFileSync(TABLE, matrixTable(rows));
  else tell(`no table yet: the journal has ${rows.length} of ${CELLS.length} cells`);
  if (wrong.length > 0) process.exitCode = 1;
}

await main();
