/** Judges a cell in real k6 and in the simulation, and once more what a busy machine left open. */

import type { RunResult } from "../../contract/run-result.ts";
import type { Judges } from "../kill-matrix/judges.ts";
import type { InTurn } from "../turns.ts";
import type { FidelityCell } from "./cells.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import { simulate } from "./simulate.ts";

/** Ours: as many times slower as the machine's noise is then smaller beside what is measured. */
const SLOWER_TIME_SCALE = 0.1;

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
 * What is called broken in k6 alone is never asked again. All else that differs may come from the
 * machine: it is asked once more, on a slower clock, and when `inTurn` begins it.
 */
export async function judgeTwice(
  judges: Judges,
  given: SimulatedCell,
  isAlone: boolean,
  inTurn: InTurn = (work) => work(),
): Promise<Comparison> {
  const { cell } = given;
  const first = await judgeOnce(judges, given, isAlone);
  const { contradictions, doubts, figures } = first;
  const isFalseAlarm = contradictions.some((line) => line.includes("is broken in k6"));
  const isSame = contradictions.length + doubts.length + figures.length === 0;
  if (isSame || isFalseAlarm) return first;
  process.stderr.write(`once more: ${cell.title}: ${JSON.stringify(first)}\n`);
  const condition = { ...cell.condition, timeScale: SLOWER_TIME_SCALE };
  const slower = await simulatedCell({ ...cell, condition });
  return await inTurn(() => judgeOnce(judges, slower, isAlone));
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
