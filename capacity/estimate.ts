/** The edge between rates that are kept and rates that are not, with an interval. */

import type { CapacityEstimate } from "../report/capacity-model.ts";
import { tExceededWith } from "./statistics/distributions.ts";

export interface Trial {
  rate: number;
  isKept: boolean;
}

/**
 * Ours: what falls behind, or is refused, by less than this share counts as kept; so the edge may
 * lie lower by as much.
 */
export const RESOLUTION = 0.01;

const CONFIDENCE = 0.95;
/** Half of the 95 % quantile of chi-square with one degree of freedom: Wilks, 1938. */
const LIKELIHOOD_DROP = 1.9207;
/** Parameters of the curve: where it is, and how steep. */
const PARAMETERS = 2;
/** Ours: the edge is looked for in steps of 0.1 %, so far beyond the rates that were tried. */
const GRID = { step: 0.001, beyond: Math.log(1.3) };
/**
 * Ours: up to an edge that spreads over half of the rate. None is taken to be sharper than 1.2 %:
 * with sharper ones a few runs that separate cleanly claim more than they know, and 95 % intervals
 * held the truth in 80 % of simulated searches only.
 */
const SPREADS = Array.from({ length: 28 }, (_, n) => 0.012 * 1.15 ** n);
/**
 * Ours: so often a run says the opposite whatever the rate, as while caches were cold or beside
 * other work: without it one such run far from the edge flattens the whole curve, and moves the
 * edge beyond all rates that were tried. (Wichmann, Hill, "The psychometric function: I", 2001.)
 */
const LAPSES = 0.02;
/** Ours: log-likelihoods that differ by less are the same. */
const EQUAL = 0.01;

/**
 * The rate at which a run is as likely to pass as to fail: a logistic curve over the logarithm of
 * the rate, its steepness a free parameter, the interval by profile likelihood. (Meeker, Escobar,
 * "Teaching about approximate confidence regions based on maximum likelihood", 1995; the same is
 * done for dose and response.) A few runs may say the opposite at any rate. Runs that separate
 * cleanly leave a plateau: its middle is the estimate. `hiddenIn`: by which share of these rates
 * runs that were kept may have fallen behind; left out: by what no run resolves. Null unless
 * there are passes and failures.
 */
export function estimateEdge(
  trials: readonly Trial[],
  hiddenIn: (near: { low: number; high: number }) => number = () => RESOLUTION,
): CapacityEstimate | null {
  if (!trials.some(({ isKept }) => isKept) || trials.every(({ isKept }) => isKept)) return null;
  const points = trials.map(({ rate, isKept }) => ({ x: Math.log(rate), isKept }));
  const edges = gridOver(points.map(({ x }) => x));
  const profile = edges.map((edge) => ({ edge, value: profileAt(edge, points) }));
  const best = profile.reduce((max, { value }) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const top = profile.filter(({ value }) => value >= best - EQUAL).map(({ edge }) => edge);
  const drop = areMixed(trials) ? dropOfFew(trials.length) : LIKELIHOOD_DROP;
  const likely = profile.filter(({ value }) => value >= best - drop);
  const middle = ((top[0] ?? 0) + (top.at(-1) ?? 0)) / 2;
  const kept = trials.filter(({ isKept }) => isKept).length;
  const low = Math.exp(likely[0]?.edge ?? middle);
  const high = Math.exp(likely.at(-1)?.edge ?? middle);
  const hidden = hiddenIn({ low, high });
  const runs = `${kept} kept and ${trials.length - kept} failed runs`;
  return {
    perSecond: Math.exp(middle) * (1 - hidden / 2),
    low: low * (1 - hidden),
    high,
    confidence: CONFIDENCE,
    method: `logistic fit of ${runs}, profile likelihood`,
  };
}

/** Runs that do not separate cleanly: a higher rate was kept than one that was not. */
function areMixed(trials: readonly Trial[]): boolean {
  const failed = trials.filter(({ isKept }) => !isKept).map(({ rate }) => rate);
  return trials.some(({ rate, isKept }) => isKept && rate >= Math.min(...failed));
}

/**
 * How steep the curve is has to be learnt from few runs as well, so that less is known than Wilks's
 * theorem has it of many: Student's t takes the normal quantile's place, as in a fit of least
 * squares (Bates, Watts, "Nonlinear regression analysis and its applications", 1988, chapter 6).
 */
function dropOfFew(runs: number): number {
  const freedom = Math.max(1, runs - PARAMETERS);
  const t = tExceededWith((1 - CONFIDENCE) / 2, freedom);
  return (runs / 2) * Math.log(1 + t ** 2 / freedom);
}

/** Only around the edge is the grid fine: rates far away matter little. */
function gridOver(xs: readonly number[]): number[] {
  const [from, to] = [Math.min(...xs) - GRID.beyond, Math.max(...xs) + GRID.beyond];
  return Array.from({ length: Math.ceil((to - from) / GRID.step) }, (_, n) => from + n * GRID.step);
}

function profileAt(edge: number, points: readonly { x: number; isKept: boolean }[]): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const spread of SPREADS) {
    let sum = 0;
    for (const { x, isKept } of points) {
      const towards = (isKept ? edge - x : x - edge) / spread;
      sum += Math.log(LAPSES + (1 - 2 * LAPSES) / (1 + Math.exp(-towards)));
    }
    best = Math.max(best, sum);
  }
  return best;
}
