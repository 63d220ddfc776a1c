/** A row of the benchmark: subject and peer are measured in turn, so both meet one machine. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { tExceededWith } from "../capacity/statistics/distributions.ts";
import { deviationOf, meanOf } from "../capacity/statistics/moments.ts";

export interface Row {
  /** Names the row's file of figures. */
  name: string;
  /** What is measured, with its unit. */
  what: string;
  subject: string;
  peer: string;
  /** In words; of the ratio of subject to peer. */
  goal: string;
  measureSubject(): Promise<number>;
  measurePeer(): Promise<number>;
}

/** Ours: fewer tell no interval. */
const REPEATS = 5;
const LEVEL = 0.95;
const FOLDER = path.join(import.meta.dirname, "../.plumbline/bench");

/** Prints a line of a table, and writes what it was made of to `.plumbline/bench/NAME.json`. */
export async function measureRow(row: Row): Promise<void> {
  const { name, what, subject, peer, goal } = row;
  const pairs: { subject: number; peer: number }[] = [];
  // The first pair warms caches up.
  for (let at = 0; at <= REPEATS; at += 1) {
    const pair = { peer: await row.measurePeer(), subject: await row.measureSubject() };
    if (at > 0) pairs.push(pair);
  }
  const ratios = pairs.map((pair) => pair.subject / pair.peer);
  const ratio = meanOf(ratios);
  const t = tExceededWith((1 - LEVEL) / 2, ratios.length - 1);
  const reach = (t * deviationOf(ratios)) / Math.sqrt(ratios.length);
  const means = [
    meanOf(pairs.map((pair) => pair.subject)),
    meanOf(pairs.map((pair) => pair.peer)),
  ] as const;
  const told = { name, what, subject, peer, goal, pairs, ratio, low: ratio - reach };
  await mkdir(FOLDER, { recursive: true });
  const figures = { ...told, high: ratio + reach, atMs: Date.now(), node: process.version };
  await writeFile(path.join(FOLDER, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
  const [own, other] = means.map((value) => value.toPrecision(3));
  const interval = `${ratio.toFixed(2)} (± ${reach.toFixed(2)})`;
  process.stdout.write(`| ${[what, subject, own, peer, other, interval, goal].join(" | ")} |\n`);
}

/** The head of the table that lines of rows make. */
export const TABLE_HEAD =
  "| what | of | mean | beside | mean | ratio, 95 % | goal |\n|---|---|---|---|---|---|---|\n";
