/**
 * Real gates (profile quick, real k6) and real probes on the healthy reference service in a process
 * of its own, while the suite is under pressure: two processes a core that take the processor, a
 * path that loses 5 % each way, and the suite's processes stopped for a second each 10 to 20 s.
 * Doubt is right then; nothing may be called broken. A line a run, and all of it as JSON in
 * `.plumbline/pressure/runs.json`. Exit code 1 when anything was broken or did not end.
 *
 * npm run pressure -- [--gates N] [--probes N] [--probe-minutes M] [--jobs N] [--seed N]
 * [--time-scale X] [--only LIST] [--out DIR]
 */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { keepBusy } from "../healthy/busy-machine.ts";
import { readOptions } from "./options.ts";
import type { Row, Task } from "./run.ts";
import { NICENESS, runUnderPressure } from "./run.ts";

/** Ours: longer than any run of this script; whoever was killed leaves nothing that goes on. */
const BUSY_LIMIT_MS = 4 * 3_600_000;

const options = readOptions(process.argv.slice(2));
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => interrupted.abort());
}

const tasksOf = (kind: Task["kind"], count: number): Task[] =>
  Array.from({ length: count }, (_, at) => {
    return { kind, variant: at % 2 === 0 ? "B" : "A", seed: options.seed + at };
  });

function tell({ kind, variant, seed, exitCode, ...row }: Row): void {
  const counts = Object.entries(row.counts).map(([name, count]) => `${count} ${name}`);
  const what = `${kind} ${variant} seed ${seed}: exit ${exitCode}, ${counts.join(", ")}`;
  const { chunks, late, stoodStillMs } = row.paths;
  const path = `${late} of ${chunks} chunks late, paths stood still for ${stoodStillMs} ms`;
  process.stdout.write(`${what}, ${row.seconds} s, ${row.stalls} stalls, ${path}\n`);
  for (const each of row.broken) process.stdout.write(`  broken ${each}\n`);
}

/** Either is an answer, or a doubt; a probe that is told to stop ends with 0. */
const isWell = ({ exitCode, broken }: Row) =>
  broken.length === 0 && (exitCode === 0 || exitCode === 111);

async function main(): Promise<void> {
  const tasks = [...tasksOf("probe", options.probes), ...tasksOf("gate", options.gates)];
  const rows: Row[] = [];
  await mkdir(options.out, { recursive: true });
  const takeTurns = async (): Promise<void> => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      if (interrupted.signal.aborted) return;
      const row = await runUnderPressure(task, options, interrupted.signal);
      if (interrupted.signal.aborted) return;
      rows.push(row);
      tell(row);
      await writeFile(path.join(options.out, "runs.json"), `${JSON.stringify(rows, null, 2)}\n`);
    }
  };
  const relax = keepBusy({ perCore: 2, limitMs: BUSY_LIMIT_MS, niceness: NICENESS });
  const turns = Array.from({ length: options.jobs }, takeTurns);
  try {
    await Promise.all(turns);
  } finally {
    // After an error the others are stopped before it is told.
    if (tasks.length > 0) interrupted.abort();
    await Promise.allSettled(turns);
    relax();
  }
  if (interrupted.signal.aborted) process.exitCode = 105;
  else if (!rows.every(isWell)) process.exitCode = 1;
}

await main();
