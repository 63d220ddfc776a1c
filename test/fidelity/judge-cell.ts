/** Judges a cell in real k6 and in the simulation, and again what a busy machine left open. */

import type { RunResult } from "../../contract/run-result.ts";
import type { Judges } from "../kill-matrix/judges.ts";
import type { InTurn } from "../turns.ts";
import type { FidelityCell } from "./cells.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import { simulate } from "./simulate.ts";

/**
 * Ours: as many times slower as the machine's noise is then smaller beside what is measured. The
 * last one takes minutes.
 */
const SLOWER_TIME_SCALES = { onceMore: 0.1, lastly: 0.4 } as const;

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
 * machine: it is asked once more, on a slower clock, and when `inTurn` begins it; a contradiction
 * twice.
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
  const first = await judgeOnce(judges, given, isAlone);
  if (isAlike(first) || isFalseAlarm(first)) return first;
  told(given, first);
  const second = await slower(SLOWER_TIME_SCALES.onceMore);
  if (second.contradictions.length === 0 || isFalseAlarm(second)) return second;
  told(given, second);
  return await slower(SLOWER_TIME_SCALES.lastly);
}

function isAlike({ contradictions, doubts, figures }: Comparison): boolean {
  return contradictions.length + doubts.length + figures.length === 0;
}

function isFalseAlarm({ contradictions }: Comparison): boolean {
  return contradictions.some((line) => line.includes("is broken in k6"));
}

function told({ cell }: SimulatedCell, comparison: Comparison): void {
  process.stderr.write(`once more: ${cell.title}: ${JSON.stringify(comparison)}\n`);
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
