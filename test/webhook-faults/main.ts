/**
 * Each fault of webhooks once on a service in real time, many side by side, as most of a run is
 * waiting: about 12 minutes for each round. Writes docs/webhook-faults.md once all are judged; what
 * is judged is kept in a journal. Exit code 1 when a fault was missed, or a near miss was not kept.
 *
 * npm run webhook-faults -- [--jobs N] [--only PATTERN] [--resume]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { groupOf } from "../../contract/promises.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { askedPromises } from "../kill-matrix/asked-promises.ts";
import type { Cell } from "../kill-matrix/cells.ts";
import { cellName } from "../kill-matrix/cells.ts";
import { variantsOf } from "../kill-matrix/expectation.ts";
import type { CellRecord } from "../kill-matrix/journal.ts";
import { appendToJournal, clearJournal, readJournal } from "../kill-matrix/journal.ts";
import type { Condition } from "../kill-matrix/judge-service.ts";
import { judgeSideBySide } from "../kill-matrix/judges.ts";
import { rowsOf, wrongs } from "../kill-matrix/table.ts";
import { realTimeTable } from "./table.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
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
  return { variant, faults: [fault.name], only: askedPromises("webhook"), realTime: true };
}

async function main(): Promise<void> {
  if (!values.resume && values.only === "") clearJournal(JOURNAL);
  const known = values.resume ? readJournal(JOURNAL) : new Map<string, CellRecord>();
  const chosen = CELLS.map((cell) => ({ cell, name: cellName(cell) }))
    .filter(({ name }) => new RegExp(values.only).test(name) && !known.has(name))
    .map(({ cell }) => cell);
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort());
  const judged = judgeSideBySide(
    chosen,
    Number(values.jobs),
    conditionOf,
    (cell, { result, error, seconds }) => {
      const verdicts = (result?.findings ?? [])
        .filter(({ promise }) => groupOf(promise) === "webhook")
        .map(({ promise, verdict, summary }) => ({ promise, verdict, summary }));
      const record = { fault: cell.fault.name, variant: cell.variant, seconds, attempt: 1 };
      appendToJournal(JOURNAL, { ...record, error, verdicts });
      const wrong = wrongs({ cell, record: { ...record, error, verdicts } });
      tell(`${cellName(cell)} ${seconds.toFixed(0)} s ${wrong.join("; ") || "right"}`);
    },
    abort.signal,
  );
  await judged;
  const rows = rowsOf(CELLS, readJournal(JOURNAL));
  if (rows.length === CELLS.length) writeFileSync(TABLE, realTimeTable(rows));
  else tell(`no table yet: ${rows.length} of ${CELLS.length} are judged; go on with --resume`);
  const wrong = rows.filter((row) => wrongs(row).length > 0);
  if (wrong.length > 0 || abort.signal.aborted) process.exitCode = 1;
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

await main();
