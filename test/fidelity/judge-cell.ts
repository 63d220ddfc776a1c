/** Judges a cell in real k6 and in the simulation, and again what a busy machine left open. */

import type { RunResult } from "../../contract/run/run-result.ts";
import type { Judges } from "../kill-matrix/judges.ts";
import type { InTurn } from "../turns.ts";
import type { FidelityCell } from "./cells.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import { simulate } from "./simulate.ts";

/**
 * Ours: as many times slower as the machine's noise is then smaller beside what is measured. On the
 * last one, cells take minutes.
 */
const SLOWER_TIME_SCALES = [0.1, 0.4] as const;

export interface SimulatedCell {
  cell: FidelityCell;
  simulated: RunResult;
}

export async function simulatedCell(cell: FidelityCell): Promise<SimulatedCell> {
  return { cell, simulated: await simulate(cell.condition) };
}

/** How long the simulated run is, in its virtual time: about as long as the one in k6. */
export function lengthMsOf({ simulated }: SimulatedCell): number {
  return simulated.finishedAtMs - simulated.startedAtMs;
}

/** The longest, begun last, would be waited for alone. */
export function longestFirst(cells: readonly SimulatedCell[]): readonly SimulatedCell[] {
  return cells.toSorted((a, b) => lengthMsOf(b) - lengthMsOf(a));
}

/**
 * What is called broken in k6 alone, and not by the fault, is never asked again. All else that
 * differs may come from the machine: it is asked twice more, on slower clocks, and when `inTurn`
 * begins it. So is the fault's own promise: on the fastest clock a fault that takes 5 s to be seen
 * is seen in k6 alone, where the machine is slow.
 */
export async function judgeCell(
  judges: Judges,
  given: SimulatedCell,
  isAlone: boolean,
  inTurn: InTurn = (work) => work(),
): Promise<Comparison> {
  const slower = async (timeScale: number) => {
    const condition = { ...given.cell.condition, timeScale };
    const simulated = await simulatedCell({ ...given.cell, condition });
    return await inTurn(() => judgeOnce(judges, simulated, isAlone));
  };
  let comparison = await judgeOnce(judges, given, isAlone);
  for (const timeScale of SLOWER_TIME_SCALES) {
    if (isAlike(comparison) || isFalseAlarm(comparison, given.cell)) break;
    process.stderr.write(`once more: ${given.cell.title}: ${JSON.stringify(comparison)}\n`);
    comparison = await slower(timeScale);
  }
  return comparison;
}

function isAlike({ contradictions, doubts, figures }: Comparison): boolean {
  return contradictions.length + doubts.length + figures.length === 0;
}

function isFalseAlarm({ contradictions }: Comparison, { fault }: FidelityCell): boolean {
  const alarms = contradictions.filter((line) => line.includes(" is broken in k6"));
  return alarms.some((line) => fault === null || !line.startsWith(`${fault.promise} `));
}

async function judgeOnce(
  judges: Judges,
  { cell: { condition, fault }, simulated }: SimulatedCell,
  isAlone: boolean,
): Promise<Comparison> {
  const { result, error } = await judges.judge(condition);
  if (result === null) throw new Error(error ?? "the run has no result");
  return compare(result, simulated, { fault, isAlone });
}
