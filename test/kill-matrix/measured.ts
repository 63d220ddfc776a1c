/** What the runs of a cell found, counted: the content of docs/kill-matrix.json. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { ROOT } from "../../runner/package-root.ts";
import { wilson } from "../capacity/compare/simulation/wilson.ts";
import type { CellRecord } from "./cell-record.ts";
import type { Cell } from "./cells.ts";
import { cellName } from "./cells.ts";
import { companionsOf } from "./companions.ts";
import { complaints } from "./expectation.ts";

export const MEASURED_FILE = path.join(ROOT, "docs/kill-matrix.json");

const counts = z.record(z.string(), z.number());
const share = z.number().min(0).max(1);

const measuredSchema = z.object({
  cell: z.string(),
  runs: z.number(),
  /** Runs in which the fault's own promise was broken, or kept in a near miss. */
  asExpected: z.number(),
  /** Wilson's 95 % interval of that share. */
  interval: z.tuple([share, share]),
  /** Of the fault's own promise, by verdict; "error" where the run could not be made. */
  own: counts,
  /** Other promises that were called broken: lawfully, falsely; and those in doubt. */
  companions: counts,
  falselyBroken: counts,
  inconclusive: counts,
  /** Mean processor time of a run of all promises. */
  cpuSeconds: z.number(),
});

export type Measured = z.infer<typeof measuredSchema>;

const fileSchema = z.object({
  profile: z.string(),
  timeScale: z.number(),
  /** How the seed of a run is made. */
  seeds: z.string(),
  cells: z.array(measuredSchema),
});

export type MeasuredFile = z.infer<typeof fileSchema>;

export function readMeasured(): MeasuredFile {
  return fileSchema.parse(JSON.parse(readFileSync(MEASURED_FILE, "utf8")));
}

/** JSON with a line for each cell, so that a change of one shows as one. */
export function textOfMeasured({ cells, ...head }: MeasuredFile): string {
  const opening = JSON.stringify(head).slice(0, -1);
  const lines = cells.map((each) => JSON.stringify(each));
  return `${opening},"cells":[\n${lines.join(",\n")}\n]}\n`;
}

export function measure(cell: Cell, records: readonly CellRecord[]): Measured {
  const found = { own: new Count(), companions: new Count() };
  const others = { falselyBroken: new Count(), inconclusive: new Count() };
  const lawful = companionsOf(cell.fault);
  let asExpected = 0;
  for (const { error, verdicts } of records) {
    const own = verdicts.filter(({ promise }) => promise === cell.fault.promise);
    if (error === null && complaints(cell.fault, own).length === 0) asExpected += 1;
    found.own.add(error === null ? (own[0]?.verdict ?? "unobserved") : "error");
    for (const { promise, verdict } of verdicts) {
      if (promise === cell.fault.promise) continue;
      if (verdict === "inconclusive") others.inconclusive.add(promise);
      if (verdict !== "broken") continue;
      if (lawful.has(promise)) found.companions.add(promise);
      else others.falselyBroken.add(promise);
    }
  }
  const runs = records.length;
  const { low, high } = wilson(asExpected, runs);
  const cpuSeconds = records.reduce((sum, { seconds }) => sum + seconds, 0) / runs;
  return {
    ...{ cell: cellName(cell), runs, asExpected, interval: [rounded(low), rounded(high)] },
    ...{ own: found.own.byName(), companions: found.companions.byName() },
    falselyBroken: others.falselyBroken.byName(),
    inconclusive: others.inconclusive.byName(),
    cpuSeconds: rounded(cpuSeconds),
  };
}

class Count {
  readonly #times = new Map<string, number>();

  add(name: string): void {
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  }

  byName(): Record<string, number> {
    return Object.fromEntries([...this.#times].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function rounded(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), 1e6) * 10_000) / 10_000;
}
