/**
 * What holds in the simulation holds in real k6: the same verdicts of the same services. 21 cells
 * side by side, twelve of them drawn by the commit; four more in alone.test.ts.
 */

import { availableParallelism } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { commitText } from "../drawn-cases.ts";
import { trustAuthority } from "../fronts/trusted-authority.ts";
import { openJudges } from "../kill-matrix/judges.ts";
import type { InTurn } from "../turns.ts";
import { turns } from "../turns.ts";
import { BESIDE, drawnCells } from "./cells.ts";
import type { Comparison } from "./compare.ts";
import type { SimulatedCell } from "./judge-cell.ts";
import { judgeCell, lengthMsOf, longestFirst, simulatedCell } from "./judge-cell.ts";

/** Ours: all begin at once and wait for their turn. */
const TIMEOUT_MS = 20 * 60_000;
/** Ours: a run takes 5 s of processor time in half a minute; so many leave half of each core. */
const JOBS = 3 * availableParallelism();
const DRAWN = 12;
/** Ours: alone at the end, a longer one would be waited for by all others. */
const DRAWN_LENGTH_MAX_MS = 60_000;
/** Ours: of all cells so many may stay in doubt on a busy machine; none of the healthy ones. */
const DOUBTFUL_MAX = 2;

const judges = openJudges("real", JOBS);
const doubtful: string[] = [];
trustAuthority();
afterAll(() => judges.close());

const again = turns(availableParallelism());
const firsts = { open: 0, over: Promise.withResolvers<void>() };

/** What is asked once more waits until all are judged: then there is less beside it. */
async function judged(given: SimulatedCell): Promise<Comparison> {
  let isOpen = true;
  firsts.open += 1;
  const close = () => {
    if (isOpen) firsts.open -= 1;
    isOpen = false;
    if (firsts.open === 0) firsts.over.resolve();
  };
  const inTurn: InTurn = async (work) => {
    close();
    await firsts.over.promise;
    return await again(work);
  };
  return await judgeCell(judges, given, false, inTurn).finally(close);
}

async function holdAgainst(given: SimulatedCell): Promise<void> {
  const { cell } = given;
  const { contradictions, doubts, figures } = await judged(given);
  // Each with its text: a list's own in a message of a failed test is cut to its length.
  expect(contradictions, contradictions.join("\n")).toEqual([]);
  expect(figures, figures.join("\n")).toEqual([]);
  if (cell.fault === null) expect(doubts, doubts.join("\n")).toEqual([]);
  if (doubts.length > 0) doubtful.push(`${cell.title}: ${doubts.join("; ")}`);
}

/** In the order of the draw, less those that take too long: the fixed ones stand for them. */
async function drawn(): Promise<readonly SimulatedCell[]> {
  const taken: SimulatedCell[] = [];
  for (const cell of drawnCells(commitText(), Number.POSITIVE_INFINITY)) {
    const given = await simulatedCell(cell);
    if (lengthMsOf(given) <= DRAWN_LENGTH_MAX_MS) taken.push(given);
    if (taken.length === DRAWN) break;
  }
  return taken;
}

const fixed = await Promise.all(BESIDE.map(simulatedCell));
const cells = longestFirst([...fixed, ...(await drawn())]);

describe.concurrent("side by side", () => {
  for (const given of cells) {
    const title = `is seen alike: ${given.cell.title}`;
    it(title, { timeout: TIMEOUT_MS }, () => holdAgainst(given));
  }
});

describe("a busy machine", () => {
  it(`leaves ${DOUBTFUL_MAX} cells in doubt at most`, () => {
    expect(doubtful.slice(DOUBTFUL_MAX)).toEqual([]);
  });
});
