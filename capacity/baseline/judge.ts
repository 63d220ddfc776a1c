/**
 * Holds a run and the recent ones against the accepted ones, run by run: the requests of a run are
 * too much alike to be counted one by one.
 */

import { holm } from "../statistics/holm.ts";
import { quantileOf } from "../statistics/moments.ts";
import type { RankTest } from "../statistics/rank-test.ts";
import { rankTest } from "../statistics/rank-test.ts";
import type { Baseline, BaselineRun, Figure } from "./model.ts";

/** Ours: with fewer on a side not even complete separation tells much. */
export const RUNS_MIN = 10;
/** Ours: older runs tell of an older environment. */
export const RUNS_MAX = 30;
/** Ours: a gate that runs daily cries wolf less than once a quarter. */
const ALPHA = 0.01;
/** "Large" by Romano et al., "Appropriate statistics for ordinal level data" (2006). */
const DELTA_MIN = 0.474;
/** Ours: a clear difference may be too small to matter; nor do 2 ms, or 1 failure in 200. */
const SHIFT_SHARE_MIN = 0.05;
const SHIFT_MIN: Readonly<Record<Figure["unit"], number>> = { ms: 2, "jobs/s": 0, share: 0.005 };

export interface FigureComparison {
  name: string;
  unit: Figure["unit"];
  verdict: "better" | "worse" | "no difference found";
  accepted: number;
  recent: number;
  /** Adjusted over the figures. */
  probability: number;
  delta: number;
  shift: number;
}

export type BaselineComparison =
  | { kind: "compared"; accepted: number; recent: number; figures: FigureComparison[] }
  | { kind: "not compared"; reason: string };

/** The run need not be among the recent ones; when it is, it counts once. */
export function compareWithBaseline(run: BaselineRun, baseline: Baseline): BaselineComparison {
  if (run.figures.length === 0) {
    return { kind: "not compared", reason: "this run measured no load" };
  }
  const newest = baseline.accepted.at(-1);
  if (newest === undefined) return { kind: "not compared", reason: "no run has been accepted yet" };
  const accepted = alike(run, baseline.accepted);
  if (accepted.length === 0) {
    const reason = `unlike the accepted runs: ${differencesOf(newest, run).join("; ")}`;
    return { kind: "not compared", reason };
  }
  const recent = [...alike(run, baseline.recent).filter((each) => !isSame(each, run)), run];
  if (accepted.length < RUNS_MIN || recent.length < RUNS_MIN) {
    const counts = `${accepted.length} accepted and ${recent.length} recent`;
    return { kind: "not compared", reason: `not enough runs: ${counts} of ${RUNS_MIN} each` };
  }
  const figures = compareFigures(accepted, recent, run);
  return { kind: "compared", accepted: accepted.length, recent: RUNS_MIN, figures };
}

export function isSame(a: BaselineRun, b: BaselineRun): boolean {
  return a.startedAt === b.startedAt && a.seed === b.seed;
}

/** Runs under the same circumstances, the last ones. */
function alike(run: BaselineRun, runs: readonly BaselineRun[]): BaselineRun[] {
  return runs.filter((each) => differencesOf(each, run).length === 0).slice(-RUNS_MAX);
}

/** "cores: 2 in the baseline, 4 here", one for each circumstance that differs. */
function differencesOf(accepted: BaselineRun, run: BaselineRun): string[] {
  const names = new Set([
    ...Object.keys(accepted.circumstances),
    ...Object.keys(run.circumstances),
  ]);
  return [...names].flatMap((name) => {
    const [then, now] = [accepted.circumstances[name], run.circumstances[name]];
    if (then === now) return [];
    return [`${name}: ${then ?? "not told"} in the baseline, ${now ?? "not told"} here`];
  });
}

function compareFigures(
  accepted: readonly BaselineRun[],
  recent: readonly BaselineRun[],
  run: BaselineRun,
): FigureComparison[] {
  const tested = run.figures.flatMap((figure) => {
    const a = valuesOf(accepted, figure.name);
    // No more than that: a regression is found, and forgotten, as soon as that many runs can tell.
    const b = valuesOf(recent, figure.name).slice(-RUNS_MIN);
    const isEnough = Math.min(a.length, b.length) >= RUNS_MIN;
    return isEnough ? [{ figure, a, test: rankTest(a, b), level: quantileOf(b, 0.5) }] : [];
  });
  const adjusted = holm(tested.map(({ test }) => test.probability));
  return tested.map(({ figure, a, test, level }, at) => {
    const probability = adjusted[at] ?? 1;
    const before = quantileOf(a, 0.5);
    const { name, unit } = figure;
    const verdict = verdictOf(figure, { ...test, probability }, before);
    const { delta, shift } = test;
    return { name, unit, verdict, accepted: before, recent: level, probability, delta, shift };
  });
}

function valuesOf(runs: readonly BaselineRun[], name: string): number[] {
  return runs.flatMap(({ figures }) =>
    figures.filter((figure) => figure.name === name).map(({ value }) => value),
  );
}

function verdictOf(
  { unit, worse }: Figure,
  { probability, delta, shift }: RankTest,
  before: number,
): FigureComparison["verdict"] {
  const isLarge = Math.abs(shift) > Math.max(SHIFT_MIN[unit], SHIFT_SHARE_MIN * Math.abs(before));
  if (probability > ALPHA || Math.abs(delta) < DELTA_MIN || !isLarge) return "no difference found";
  return shift > 0 === (worse === "higher") ? "worse" : "better";
}
