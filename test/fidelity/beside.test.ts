/**
 * What holds in the simulation holds in real k6: the same verdicts of the same services. 20 cells
 * side by side, twelve of them drawn by the commit; four more in alone.test.ts.
 */

import { afterAll, describe, expect, it } from "vitest";
import { trustAuthority } from "../fronts/trusted-authority.ts";
import { openJudges } from "../kill-matrix/judges.ts";
import type { FidelityCell } from "./cells.ts";
import { BESIDE, drawnCells } from "./cells.ts";
import { commitText } from "./commit.ts";
import { judgeTwice } from "./judge-twice.ts";

/** Ours: all begin at once and wait for their turn. */
const TIMEOUT_MS = 600_000;
/** Ours: runs that wait more than they work. */
const JOBS = 4;
const DRAWN = 12;
/** Ours: of all cells so many may stay in doubt on a busy machine; none of the healthy ones. */
const DOUBTFUL_MAX = 2;

const judges = openJudges("real", JOBS);
const doubtful: string[] = [];
trustAuthority();
afterAll(() => judges.close());

async function holdAgainst(cell: FidelityCell): Promise<void> {
  const { contradictions, doubts, figures } = await judgeTwice(judges, cell, false);
  expect(contradictions).toEqual([]);
  expect(figures).toEqual([]);
  if (cell.fault === null) expect(doubts).toEqual([]);
  if (doubts.length > 0) doubtful.push(`${cell.title}: ${doubts.join("; ")}`);
}

describe.concurrent("side by side", () => {
  const drawn = drawnCells(commitText(), DRAWN);
  for (const cell of [...BESIDE, ...drawn]) {
    it(`is seen alike: ${cell.title}`, { timeout: TIMEOUT_MS }, () => holdAgainst(cell));
  }
});

describe("a busy machine", () => {
  it(`leaves ${DOUBTFUL_MAX} cells in doubt at most`, () => {
    expect(doubtful.slice(DOUBTFUL_MAX)).toEqual([]);
  });
});
