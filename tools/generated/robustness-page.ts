/** docs/robustness.md: how each program behaves under each fault, and the tests that prove it. */

import type { Cell, FaultNumber, Party } from "../robustness/faults.ts";
import { FAULTS, PARTIES } from "../robustness/faults.ts";
import type { Proof } from "../robustness/proofs.ts";
import { proofs } from "../robustness/proofs.ts";
import { tableOf } from "./markdown-table.ts";

const NUMBERS = Object.keys(FAULTS).map(Number) as FaultNumber[];

/** Ours: at most so many tests of a cell are named; the others say much the same. */
const NAMED_MAX = 4;

export function robustnessPage(): string {
  const proven = byCell(proofs());
  const blocks = [
    "# Robustness: behaviour under faults",
    "`npm run generate` writes this page from the tests, which declare their cells with `covers` " +
      "(`tools/robustness/covers.ts`). Tests inject real faults, by means of Toxiproxy, sockets, " +
      "files, signals and limits. Two kinds are not real: the clock of fault 38 is injected into " +
      "the process, and tests in `test/simulation/` model their faults.",
    summaryOf(proven),
    "Each cell shows the number of its tests; `-` means that the fault can't affect the program.",
    tableOf(
      ["", "fault", ...PARTIES],
      NUMBERS.map((number) => [
        `[${number}](#${number})`,
        FAULTS[number].title,
        ...PARTIES.map((party) => countIn(proven, number, party)),
      ]),
    ),
    ...NUMBERS.flatMap((number, at) => sectionOf(proven, number, NUMBERS[at - 1])),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function byCell(all: readonly Proof[]): ReadonlyMap<Cell, readonly Proof[]> {
  const proven = new Map<Cell, Proof[]>();
  for (const proof of all) {
    for (const cell of proof.cells) proven.set(cell, [...(proven.get(cell) ?? []), proof]);
  }
  return proven;
}

function partiesOf(number: FaultNumber): readonly Party[] {
  return FAULTS[number].reaches;
}

function cellOf(number: FaultNumber, party: Party): Cell {
  return `${number} ${party}` as Cell;
}

function summaryOf(proven: ReadonlyMap<Cell, readonly Proof[]>): string {
  const isWhole = (number: FaultNumber) =>
    partiesOf(number).every((party) => proven.has(cellOf(number, party)));
  const cells = NUMBERS.flatMap((number) =>
    partiesOf(number).map((party) => cellOf(number, party)),
  );
  const open = cells.filter((cell) => !proven.has(cell));
  const whole = NUMBERS.filter(isWhole).length;
  const told =
    `**${whole} of ${NUMBERS.length} faults have a test for each program that they can affect; ` +
    `${cells.length - open.length} of ${cells.length} cells have one.**`;
  return open.length === 0 ? told : `${told} Without a test: ${open.join(", ")}.`;
}

function countIn(
  proven: ReadonlyMap<Cell, readonly Proof[]>,
  number: FaultNumber,
  party: Party,
): string {
  if (!partiesOf(number).includes(party)) return "-";
  const found = proven.get(cellOf(number, party)) ?? [];
  return found.length === 0 ? "" : String(found.length);
}

function sectionOf(
  proven: ReadonlyMap<Cell, readonly Proof[]>,
  number: FaultNumber,
  before: FaultNumber | undefined,
): readonly string[] {
  const { group, title, holds } = FAULTS[number];
  const isFirst = before === undefined || FAULTS[before].group !== group;
  return [
    ...(isFirst ? [`## ${group}`] : []),
    `### <a id="${number}"></a>${number}. ${title}`,
    `Must hold: ${holds}.`,
    partiesOf(number)
      .flatMap((party) => linesOf(party, proven.get(cellOf(number, party)) ?? []))
      .join("\n"),
  ];
}

function linesOf(party: Party, found: readonly Proof[]): readonly string[] {
  if (found.length === 0) return [`- ${party}: no test yet`];
  const named = found
    .slice(0, NAMED_MAX)
    .map(({ file, titles }) => `- ${party}: ${titles.join(" › ")} (\`${file}\`)`);
  const more = found.length - named.length;
  return more === 0 ? named : [...named, `- ${party}: ${more} more`];
}
