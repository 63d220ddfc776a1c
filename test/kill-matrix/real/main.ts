/**
 * The kill matrix with real k6, on a clock that runs fifty times faster: each fault in each of its
 * variants, judged on all promises once. Writes what it finds to a journal, and
 * docs/kill-matrix-real.md once the journal has every cell. Exit code 1 when a
 * fault was missed or a promise was called broken that isn't.
 *
 * npm run kill-matrix:real -- [--jobs N] [--only PATTERN] [--promises LIST] [--resume]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../../runner/package-root.ts";
import { appendToJournal, clearJournal, readJournal } from "../../journal.ts";
import { interruptSignal, tell } from "../../program.ts";
import { askedPromises } from "../asked-promises.ts";
import type { CellRecord } from "../cell-record.ts";
import { cellRecordSchema } from "../cell-record.ts";
import type { Cell } from "../cells.ts";
import { CELLS, cellName, cellsMatching } from "../cells.ts";
import type { Judged } from "../judges.ts";
import { judgeSideBySide } from "../judges.ts";
import { conditionOf } from "./keys.ts";
import { matrixTable, rowsOf, wrongs } from "./table.ts";

const JOURNAL = path.join(ROOT, ".plumbline", "kill-matrix-real.jsonl");
const TABLE = path.join(ROOT, "docs", "kill-matrix-real.md");

/** Ours: runs wait more than they work; two cores bear this many without being late. */
const JOBS = "4";

const { values } = parseArgs({
  options: {
    /** Services judged side by side. */
    jobs: { type: "string", default: JOBS },
    /** A regular expression on "fault variant"; the other cells stay as they are in the journal. */
    only: { type: "string", default: "" },
    /** Promises and groups to judge, comma separated; all when left out. */
    promises: { type: "string" },
    /** Leave out the cells that the journal has. */
    resume: { type: "boolean", default: false },
  },
});

function chosenCells(known: readonly CellRecord[]): readonly Cell[] {
  const judged = new Set(rowsOf(CELLS, known).map(({ cell }) => cell));
  return cellsMatching(values.only).filter((cell) => !(values.resume && judged.has(cell)));
}

function recordOf({ fault, variant }: Cell, judged: Judged): CellRecord {
  const { result, error, seconds } = judged;
  const verdicts = (result?.findings ?? []).map(({ promise, verdict, summary }) => {
    return { promise, verdict, summary: verdict === "kept" ? "" : summary };
  });
  const stopped = result?.interrupted ? "the run took too long and was stopped" : null;
  const seed = result?.seed ?? 1;
  return { fault: fault.name, variant, seed, seconds, error: error ?? stopped, verdicts };
}

/** Each cell once: its first verdict counts. */
async function judgeCells(cells: readonly Cell[], signal: AbortSignal): Promise<void> {
  const only = askedPromises(values.promises);
  let done = 0;
  const onJudged = (cell: Cell, judged: Judged) => {
    const record = recordOf(cell, judged);
    done += 1;
    appendToJournal(JOURNAL, record);
    const wrong = wrongs({ cell, record });
    const verdict = wrong.length === 0 ? "right" : `WRONG\n    ${wrong.join("\n    ")}`;
    tell(`${done}/${cells.length} ${cellName(cell)} ${record.seconds.toFixed(0)} s ${verdict}`);
  };
  const condition = (cell: Cell) => conditionOf(cell, only);
  await judgeSideBySide("real", cells, Number(values.jobs), condition, onJudged, signal);
}

async function main(): Promise<void> {
  if (!values.resume && values.only === "") clearJournal(JOURNAL);
  const cells = chosenCells(readJournal(JOURNAL, cellRecordSchema));
  const signal = interruptSignal();
  const startedMs = Date.now();
  await judgeCells(cells, signal);
  if (signal.aborted) {
    tell("interrupted; go on with --resume");
    process.exitCode = 105;
    return;
  }
  const records = readJournal(JOURNAL, cellRecordSchema);
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
