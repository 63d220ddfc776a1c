/**
 * Each fault of webhooks once on a service in real time, many side by side, as most of a run is
 * waiting: about 12 minutes for each round. Writes docs/webhook-faults.md once all are judged; what
 * is judged is kept in a journal. Exit code 1 when a fault was missed, or a near miss was not kept.
 *
 * npm run webhook-faults -- [--jobs N] [--only PATTERN] [--resume]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { groupOf } from "../../contract/promises.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { ROOT } from "../../runner/package-root.ts";
import { appendToJournal, clearJournal, readJournal } from "../journal.ts";
import { askedPromises } from "../kill-matrix/asked-promises.ts";
import { cellRecordSchema } from "../kill-matrix/cell-record.ts";
import type { Cell } from "../kill-matrix/cells.ts";
import { cellName } from "../kill-matrix/cells.ts";
import type { Condition } from "../kill-matrix/condition.ts";
import { variantsOf } from "../kill-matrix/expectation.ts";
import type { Judged } from "../kill-matrix/judges.ts";
import { openJudges } from "../kill-matrix/judges.ts";
import { rowsOf, wrongs } from "../kill-matrix/real/table.ts";
import { interruptSignal, tell } from "../program.ts";
import { realTimeTable } from "./table.ts";

const JOURNAL = path.join(ROOT, ".plumbline", "webhook-faults.jsonl");
const TABLE = path.join(ROOT, "docs", "webhook-faults.md");

const { values } = parseArgs({
  options: {
    /** Services judged side by side. */
    jobs: { type: "string", default: "8" },
    /** A regular expression on "fault variant". */
    only: { type: "string", default: "" },
    /** Leave out what the journal has. */
    resume: { type: "boolean", default: false },
  },
});

/** Each fault in one variant, the variants in turn. */
const CELLS: readonly Cell[] = FAULTS.filter(({ promise }) => groupOf(promise) === "webhook").map(
  (fault, index) => {
    const variants = variantsOf(fault);
    return { fault, variant: variants[index % variants.length] ?? "B" };
  },
);

function conditionOf({ fault, variant }: Cell): Condition {
  return { variant, faults: [fault.name], only: askedPromises("webhook"), timeScale: 1 };
}

function chosenCells(): readonly Cell[] {
  const rows = values.resume ? rowsOf(CELLS, readJournal(JOURNAL, cellRecordSchema)) : [];
  const known = new Set(rows.map(({ cell }) => cell));
  const pattern = new RegExp(values.only);
  return CELLS.filter((cell) => pattern.test(cellName(cell)) && !known.has(cell));
}

/** Ours: a run works in its first seconds, and waits then; so they begin one after the other. */
const BEGIN_APART_MS = 10_000;

async function judgeInLanes(cells: readonly Cell[], signal: AbortSignal): Promise<void> {
  const lanes = Number(values.jobs);
  const judges = openJudges("real", lanes);
  signal.addEventListener("abort", () => judges.close());
  const queue = [...cells];
  const run = async (_: unknown, index: number) => {
    await sleep(index * BEGIN_APART_MS, undefined, { signal });
    for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
      const judged = await judges.judge(conditionOf(cell));
      if (signal.aborted) return;
      keep(cell, judged);
    }
  };
  await Promise.allSettled(Array.from({ length: lanes }, run));
  judges.close();
}

function keep(cell: Cell, { result, error, seconds }: Judged): void {
  const verdicts = (result?.findings ?? [])
    .filter(({ promise }) => groupOf(promise) === "webhook")
    .map(({ promise, verdict, summary }) => ({ promise, verdict, summary }));
  const { fault, variant } = cell;
  const record = { fault: fault.name, variant, seed: 1, seconds, error, verdicts };
  appendToJournal(JOURNAL, record);
  tell(
    `${cellName(cell)} ${seconds.toFixed(0)} s ${wrongs({ cell, record }).join("; ") || "right"}`,
  );
}

async function main(): Promise<void> {
  if (!values.resume && values.only === "") clearJournal(JOURNAL);
  const signal = interruptSignal();
  await judgeInLanes(chosenCells(), signal);
  const rows = rowsOf(CELLS, readJournal(JOURNAL, cellRecordSchema));
  if (rows.length === CELLS.length) writeFileSync(TABLE, realTimeTable(rows));
  else tell(`no table yet: ${rows.length} of ${CELLS.length} are judged; go on with --resume`);
  const wrong = rows.filter((row) => wrongs(row).length > 0);
  if (wrong.length > 0 || signal.aborted) process.exitCode = 1;
}

await main();
