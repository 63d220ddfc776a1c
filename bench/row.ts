/** Rows of the benchmark: subject and peer are measured in turn, so that both meet one machine. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { tExceededWith } from "../capacity/statistics/distributions.ts";
import { deviationOf, meanOf } from "../capacity/statistics/moments.ts";
import { figure as shown } from "../report/text.ts";

const goal = z.union([z.object({ atMost: z.number() }), z.object({ atLeast: z.number() })]);

/** A row of the table, as its file of figures has it. */
export const toldRow = z.object({
  /** Names the file. */
  name: z.string(),
  /** What is measured, with its unit. */
  what: z.string(),
  subject: z.string(),
  /** null: the goal is one of the subject's figure itself, not of a ratio. */
  peer: z.string().nullable(),
  goal,
  values: z.array(z.object({ subject: z.number(), peer: z.number().nullable() })),
  /** Of the ratio of subject to peer, or of the subject; with its 95 % interval. */
  mean: z.number(),
  low: z.number(),
  high: z.number(),
  reached: z.enum(["yes", "no", "can't be told"]),
  atMs: z.number(),
  node: z.string(),
});
export type ToldRow = z.infer<typeof toldRow>;

/** What one measurement gives a value of. */
export type Figure = Pick<ToldRow, "name" | "what" | "goal">;

export interface Comparison extends Pick<ToldRow, "subject" | "peer"> {
  figures: readonly Figure[];
  /** A value for each figure, in their order. */
  measureSubject(): Promise<readonly number[]>;
  measurePeer?(): Promise<readonly number[]>;
  /** The first measurement warms up, and is not counted; left out: true. */
  warmsUp?: boolean;
}

/** Ours: fewer tell no interval. */
export const REPEATS = 5;
const LEVEL = 0.95;
export const FOLDER = path.join(import.meta.dirname, "../.plumbline/bench");

/** Measures; prints a line for each figure, and writes what it is made of to a file of its own. */
export async function measure(comparison: Comparison): Promise<void> {
  const { figures, measureSubject, measurePeer, warmsUp = true } = comparison;
  const pairs: { subject: readonly number[]; peer: readonly number[] | null }[] = [];
  for (let at = warmsUp ? 0 : 1; at <= REPEATS; at += 1) {
    const peer = measurePeer === undefined ? null : await measurePeer();
    const pair = { peer, subject: await measureSubject() };
    if (at > 0) pairs.push(pair);
  }
  await mkdir(FOLDER, { recursive: true });
  for (const [at, figure] of figures.entries()) {
    const values = pairs.map(({ subject, peer }) => {
      return { subject: subject[at] ?? Number.NaN, peer: peer?.[at] ?? null };
    });
    const row = rowOf(figure, comparison, values);
    await writeFile(path.join(FOLDER, `${row.name}.json`), `${JSON.stringify(row, null, 2)}\n`);
    process.stdout.write(lineOf(row));
  }
}

function rowOf(
  figure: Figure,
  { subject, peer }: Pick<ToldRow, "subject" | "peer">,
  values: ToldRow["values"],
): ToldRow {
  const compared = values.map((each) => each.subject / (each.peer ?? 1));
  const mean = meanOf(compared);
  const t = tExceededWith((1 - LEVEL) / 2, compared.length - 1);
  const reach = (t * deviationOf(compared)) / Math.sqrt(compared.length);
  const [low, high] = [mean - reach, mean + reach];
  const reached = isReached(figure.goal, low, high);
  const at = { atMs: Date.now(), node: process.version };
  return { ...figure, subject, peer, values, mean, low, high, reached, ...at };
}

function isReached(wanted: Figure["goal"], low: number, high: number): ToldRow["reached"] {
  const [isSure, isMissed] =
    "atMost" in wanted
      ? [high <= wanted.atMost, low > wanted.atMost]
      : [low >= wanted.atLeast, high < wanted.atLeast];
  if (isSure) return "yes";
  return isMissed ? "no" : "can't be told";
}

/** The head of the table that lines of rows make. */
export const TABLE_HEAD =
  "| what | of | mean | beside | mean | compared, 95 % | goal | reached |\n" +
  "|---|---|---|---|---|---|---|---|\n";

export function lineOf({ what, subject, peer, goal: wanted, values, ...row }: ToldRow): string {
  const own = meanOf(values.map((each) => each.subject));
  const others = values.flatMap((each) => each.peer ?? []);
  const compared = `${shown(row.mean)} (± ${shown((row.high - row.low) / 2)})`;
  const told = "atMost" in wanted ? `≤ ${wanted.atMost}` : `≥ ${wanted.atLeast}`;
  const other = others.length === 0 ? "" : shown(meanOf(others));
  const cells = [what, subject, shown(own), peer ?? "", other, compared, told, row.reached];
  return `| ${cells.join(" | ")} |\n`;
}
