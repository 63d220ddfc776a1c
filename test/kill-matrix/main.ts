/**
 * The kill matrix: each fault in each of its variants, judged on all promises in the simulation,
 * with several seeds. Each run goes to a journal, where the next call goes on as long as the
 * sources are the same. Once the journal has every cell, docs/kill-matrix.md and .json are written;
 * with --partial, from the cells that it has. With --choices drawn the service is another one in
 * each run, and what it hides is written to docs/hidden-by-choices.md. With --profile quick, what
 * that profile does not see is written to docs/kill-matrix-quick.md.
 * Exit code 1 when a promise was called broken that isn't, or a run could not be made.
 *
 * npm run kill-matrix -- [--seeds N] [--only PATTERN] [--jobs N] [--choices usual|drawn]
 *   [--profile standard|quick] [--partial]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../runner/package-root.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { appendToJournal, readJournal } from "../journal.ts";
import { interruptSignal, tell, wholeNumber } from "../program.ts";
import type { CellRecord } from "./cell-record.ts";
import { cellRecordSchema } from "./cell-record.ts";
import type { Cell } from "./cells.ts";
import { CELLS, cellName, cellsMatching } from "./cells.ts";
import type { Condition } from "./condition.ts";
import { hiddenPage, matrixPage, quickPage } from "./document.ts";
import type { Judged } from "./judges.ts";
import { judgeSideBySide } from "./judges.ts";
import type { Measured, MeasuredFile } from "./measured.ts";
import { MEASURED_FILE, measure, textOfMeasured } from "./measured.ts";
import { PROFILE, seedOf } from "./simulated.ts";
import { digestOfSources } from "./sources.ts";

const SEEDS = "FNV-1a of `fault variant number`, numbers from 0";

const { values } = parseArgs({
  options: {
    /** Runs of each cell. */
    seeds: { type: "string", default: "10" },
    /** A regular expression on "fault variant"; the other cells stay as the journal has them. */
    only: { type: "string", default: "" },
    /** Processes side by side. */
    jobs: { type: "string", default: "2" },
    /** Those that no fault needs: the embedded service's, or drawn anew for each run. */
    choices: { type: "string", default: "usual" },
    /** Of the gate that judges: standard, or what most users run. */
    profile: { type: "string", default: PROFILE },
    /** Write the documents though some cells have no run yet. */
    partial: { type: "boolean", default: false },
  },
});

const IS_DRAWN = oneOf("choices", values.choices, ["usual", "drawn"]) === "drawn";
const profile = oneOf("profile", values.profile, [PROFILE, "quick"]);
const IS_QUICK = profile === "quick";
const NAME = `${IS_DRAWN ? "hidden-by-choices" : "kill-matrix"}${IS_QUICK ? "-quick" : ""}`;
const JOURNAL = path.join(ROOT, ".plumbline", `${NAME}-${digestOfSources()}.jsonl`);
const PAGE = path.join(ROOT, "docs", `${NAME}.md`);

interface Task {
  cell: Cell;
  seed: number;
}

/** All cells with the first seed, then all with the next: a part of it tells of each cell. */
function tasksOf(cells: readonly Cell[]): readonly Task[] {
  const known = new Set(readJournal(JOURNAL, cellRecordSchema).map(keyOf));
  return Array.from({ length: wholeNumber("seeds", values.seeds) }, (_, number) => number)
    .flatMap((number) => cells.map((cell) => ({ cell, seed: seedOf(cell, number) })))
    .filter(({ cell, seed }) => !known.has(`${cellName(cell)} ${seed}`));
}

function keyOf({ fault, variant, seed }: CellRecord): string {
  return `${fault} ${variant} ${seed}`;
}

function conditionOf({ cell: { fault, variant }, seed }: Task): Condition {
  const drawn = IS_DRAWN ? healthyService(seed).choices : {};
  const choices = { ...drawn, ...fault.choices };
  return { variant, choices, faults: [fault.name], only: null, seed, profile };
}

/** What is kept says nothing: left out, but for the fault's own promise. */
function recordOf({ cell: { fault, variant }, seed }: Task, judged: Judged): CellRecord {
  const { result, error, cpuSeconds: seconds } = judged;
  const verdicts = (result?.findings ?? [])
    .filter(({ promise, verdict }) => verdict !== "kept" || promise === fault.promise)
    .map(({ promise, verdict, summary }) => ({ promise, verdict, summary }));
  return { fault: fault.name, variant, seed, seconds, error, verdicts };
}

function measuredCells(): readonly Measured[] {
  const byCell = Map.groupBy(
    readJournal(JOURNAL, cellRecordSchema),
    (each) => `${each.fault} ${each.variant}`,
  );
  return CELLS.flatMap((cell) => {
    const records = byCell.get(cellName(cell));
    return records === undefined ? [] : [measure(cell, records)];
  });
}

function writeDocuments(cells: readonly Measured[]): void {
  if (cells.length < CELLS.length && !values.partial) {
    tell(`no documents yet: the journal has ${cells.length} of ${CELLS.length} cells`);
    return;
  }
  const file = { profile, timeScale: 1, seeds: SEEDS, cells: [...cells] };
  if (!IS_DRAWN && !IS_QUICK) writeFileSync(MEASURED_FILE, textOfMeasured(file));
  writeFileSync(PAGE, pageOf(file));
}

function pageOf(file: MeasuredFile): string {
  if (IS_DRAWN) return hiddenPage(file);
  return IS_QUICK ? quickPage(file) : matrixPage(file);
}

function oneOf<Name extends string>(flag: string, given: string, known: readonly Name[]): Name {
  const name = known.find((each) => each === given);
  if (name !== undefined) return name;
  throw new Error(`--${flag} ${given}: expected one of: ${known.join(", ")}`);
}

async function main(): Promise<void> {
  const signal = interruptSignal();
  const tasks = tasksOf(cellsMatching(values.only));
  let done = 0;
  const onJudged = (task: Task, judged: Judged) => {
    appendToJournal(JOURNAL, recordOf(task, judged));
    done += 1;
    if (done % 50 === 0 || done === tasks.length) tell(`${done} of ${tasks.length} runs`);
  };
  const jobs = wholeNumber("jobs", values.jobs);
  await judgeSideBySide("simulated", tasks, jobs, conditionOf, onJudged, signal);
  const cells = measuredCells();
  writeDocuments(cells);
  const wrong = cells.filter(
    (each) => Object.keys(each.falselyBroken).length > 0 || each.own.error,
  );
  for (const { cell, falselyBroken } of wrong) tell(`${cell}: ${JSON.stringify(falselyBroken)}`);
  if (signal.aborted) tell("interrupted; the next call goes on from here");
  if (signal.aborted || wrong.length > 0) process.exitCode = 1;
}

await main();
