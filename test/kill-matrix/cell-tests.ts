/**
 * Tests of cells in the simulation, one seed each: the fault's promise is broken, no other one but
 * permitted side effects, and a near miss stays kept. `npm run kill-matrix` judges each cell with
 * several seeds; docs/kill-matrix.json has what it measured.
 */

import { describe, expect, it } from "vitest";
import type { PromiseGroup } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { hashOf } from "../../simulation/chance.ts";
import { drawnCases } from "../drawn-cases.ts";
import { TELLING_LOAD_MS } from "../simulation/load-lasting.ts";
import type { Cell } from "./cells.ts";
import { CELLS, cellName } from "./cells.ts";
import type { Condition } from "./condition.ts";
import { missingEvidence } from "./evidence.ts";
import { complaints, groupPromises } from "./expectation.ts";
import { readMeasured } from "./measured.ts";
import { RATE_KEYS, WEAK_KEYS } from "./real/keys.ts";
import type { SimulatedCondition } from "./simulated.ts";
import { judgeSimulated, seedOf } from "./simulated.ts";

/** Ours: a cell that is seen more seldom may stay unseen with the test's seed. */
const DETECTION_MIN = 0.99;
/** Ours: of fewer runs one that missed it says little of how often that is. */
const RUNS_MIN = 3;

/** Ours: one cell in so many is judged on all promises, which takes ten times as long. */
const ON_ALL_PROMISES_ONE_IN = 300;

/** Where another promise was once called broken: some of them. */
const ONCE_WRONG = drawnCases(
  "once wrong",
  [
    "job.terminal-final/cost-grows B",
    "submit.asynchronous/waits-for-half B",
    "rate.sustained/50-percent-over A",
    "webhook.recovers/goes-on A",
    "webhook.signed/not-on-retries B",
    "webhook.truthful/another-status A",
  ],
  2,
);

/** Ours: 400 jobs show what befalls one in 50, in a sixth of the profile's time. */
const LOAD_MS = 20_000;

/** Ours: 1,200 jobs show what befalls one in 200. */
const LONGER_LOAD_MS = TELLING_LOAD_MS;

/** What strikes one job in 100 or fewer, or is seen with enough jobs of one kind alone. */
const NEEDS_LONGER_LOAD = new RegExp(
  [
    "1-in-[12]\\d\\d\\b",
    "^timeout\\..*/1-in-50\\b",
    "by-end",
    "capped",
    "conflict",
    "1-in-10-fails",
    "gone-after-60-s",
    "latest-500",
    "not-charged",
    "(of|with)-free-keys",
    "redeliveries-charged",
    "unknown-for",
    "while-busy",
  ].join("|"),
);

/** Ours: 1,800 jobs show what befalls all after 1,500, and what comes again and again. */
const LONGEST_LOAD_MS = 90_000;
const NEEDS_LONGEST_LOAD = /again-for-3-s|4-s-in-30-s|many-jobs|stands-still|unpaid|unknown-key/;

/** What strikes retries after 1,500 jobs, for which the profile's 2,400 leave time enough. */
const NEEDS_WHOLE_LOAD = /^webhook\.retried\/not-after-many-jobs/;

/**
 * Keys of strong plans take most requests. Only with them is it seen in each run: it strikes after
 * a rest.
 */
const NEEDS_STRONG_KEYS = new Set(["rate.burst/double-after-30-s"]);

/** What shows by several accounts, by pairs of one plan, under a load, or by luck in time. */
const NEEDS_MORE_KEYS = new RegExp(
  [
    "^rate\\.per-key",
    "anew-each-minute",
    "false-429",
    "free-minute",
    "free-second",
    "job-list-apart",
    "many-jobs",
    "under-load",
  ].join("|"),
);

const SELDOM_SEEN = new Set(
  readMeasured()
    .cells.filter(({ runs }) => runs >= RUNS_MIN)
    .filter(({ asExpected, runs }) => asExpected < DETECTION_MIN * runs)
    .map(({ cell }) => cell),
);

/** Ours: its own scenario asks each key too seldom; the whole gate tells in 12 runs of 12. */
const NEEDS_WHOLE_GATE = new Set(["account.readable/of-busy-accounts-another"]);

/** Each cell of these groups, on the promises of its own scenario. */
export function testCellsOf(...groups: readonly PromiseGroup[]): void {
  const onlyOf = ({ fault }: Cell) =>
    NEEDS_WHOLE_GATE.has(fault.name) ? null : groupPromises(fault);
  for (const group of groups) {
    const cells = CELLS.filter(({ fault }) => groupOf(fault.promise) === group);
    describe(`faults of ${group}`, () => testCells(cells, onlyOf));
  }
}

/** The cells that were drawn, on all promises. */
export function testDrawnCells(): void {
  describe("some faults on all promises", () =>
    testCells(CELLS.filter(isOnAllPromises), () => null));
}

function isOnAllPromises(cell: Cell): boolean {
  const name = cellName(cell);
  const isDrawn = hashOf(`${name} all promises`) % ON_ALL_PROMISES_ONE_IN === 0;
  return isDrawn || ONCE_WRONG.includes(name);
}

function testCells(cells: readonly Cell[], onlyOf: (cell: Cell) => Condition["only"]): void {
  const named = cells.map((cell) => ({ cell, name: cellName(cell), title: cell.fault.title }));
  it.each(named)("$name: $title", async ({ cell, name }) => {
    const { fault, variant } = cell;
    const { choices = {} } = fault;
    const seed = seedOf(cell, 0);
    const only = onlyOf(cell);
    const lesser = only === null ? lesserWholeGate(fault) : lesserFor(fault);
    const condition = { variant, choices, faults: [fault.name], only, seed, ...lesser };
    const { findings } = await judgeSimulated(condition);
    const counted = SELDOM_SEEN.has(name)
      ? findings.filter(({ promise }) => promise !== fault.promise)
      : findings;
    expect([...complaints(fault, counted), ...findings.flatMap(missingEvidence)]).toEqual([]);
  });
}

function lesserWholeGate({ name }: Fault): Partial<SimulatedCondition> {
  return NEEDS_WHOLE_GATE.has(name) ? {} : { loadMs: LONGER_LOAD_MS };
}

/**
 * With as little to judge as shows the fault. Where jobs are what it is seen with, it may strike
 * after many of them.
 */
function lesserFor({ name, promise }: Fault): Partial<SimulatedCondition> {
  const isOfLimits = groupOf(promise) === "rate" && !NEEDS_STRONG_KEYS.has(name);
  return {
    ...(isOfLimits ? { keys: keysFor(name) } : {}),
    ...(NEEDS_WHOLE_LOAD.test(name) ? {} : { loadMs: loadMsFor(name) }),
  };
}

function keysFor(name: string): readonly string[] {
  return NEEDS_MORE_KEYS.test(name) ? WEAK_KEYS : RATE_KEYS;
}

function loadMsFor(name: string): number {
  if (NEEDS_LONGEST_LOAD.test(name)) return LONGEST_LOAD_MS;
  return NEEDS_LONGER_LOAD.test(name) ? LONGER_LOAD_MS : LOAD_MS;
}
