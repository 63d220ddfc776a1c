/** Fits the universal scalability law to what was completed at how many in flight. */

import type { ScalabilityFit } from "../report/capacity-model.ts";

export interface LoadPoint {
  inFlight: number;
  perSecond: number;
}

/** The law counts from one: below it jobs never meet, and what polls saw in flight is chance. */
const IN_FLIGHT_MIN = 1;
/** Ours: fewer points, or points closer together, fit any curve. */
const POINTS_MIN = 4;
const RANGE_MIN = 4;
/** Ours: a curve that is further off at any point does not describe the service. */
const RESIDUAL_MAX = 0.1;

/** The fit; or why there is none. */
export function fitScalability(points: readonly LoadPoint[]): ScalabilityFit | string {
  const usable = points.filter((each) => each.inFlight >= IN_FLIGHT_MIN && each.perSecond > 0);
  const all = usable.map(({ inFlight }) => inFlight);
  const range = Math.max(...all) / Math.min(...all);
  if (usable.length < POINTS_MIN || range < RANGE_MIN) {
    const span = `a range of ${RANGE_MIN} in flight, from ${IN_FLIGHT_MIN} on`;
    return `a fit takes ${POINTS_MIN} rates or more over ${span}`;
  }
  const fits = SUBSETS.flatMap((subset) => solve(usable, subset) ?? []);
  const [best] = fits.sort((a, b) => a.worst - b.worst);
  if (best === undefined) return "no curve of the law goes through the points";
  if (best.worst > RESIDUAL_MAX) {
    const off = `${Math.round(best.worst * 100)} %`;
    return `the law does not describe the service: it is ${off} off at one point or more`;
  }
  const { gamma, sigma, kappa, worst } = best;
  return { gamma, sigma, kappa, peak: peakOf(best), worstResidual: worst, points: usable };
}

interface Law {
  gamma: number;
  sigma: number;
  kappa: number;
}

/** The terms beside the constant that are left in; no coefficient may be negative. */
const SUBSETS = [[], ["sigma"], ["kappa"], ["sigma", "kappa"]] as const;
type Subset = (typeof SUBSETS)[number];

const TERMS = {
  sigma: (n: number) => n - 1,
  kappa: (n: number) => n * (n - 1),
} as const;

/**
 * Gunther's linear form: N / X = (1 + sigma (N - 1) + kappa N (N - 1)) / gamma, by weighted least
 * squares, so that relative errors count.
 */
function solve(points: readonly LoadPoint[], subset: Subset): (Law & { worst: number }) | null {
  const rows = points.map(({ inFlight: n, perSecond }) => {
    const weight = perSecond / n;
    return [1, ...subset.map((name) => TERMS[name](n))].map((term) => term * weight);
  });
  const found = leastSquares(rows);
  if (found === null || found.some((value, index) => (index === 0 ? value <= 0 : value < 0))) {
    return null;
  }
  const [constant = 1, ...rest] = found;
  const coefficient = (name: "sigma" | "kappa") => {
    const index = (subset as readonly string[]).indexOf(name);
    return index < 0 ? 0 : (rest[index] ?? 0) / constant;
  };
  const law = { gamma: 1 / constant, sigma: coefficient("sigma"), kappa: coefficient("kappa") };
  const worst = points.reduce((max, { inFlight, perSecond }) => {
    return Math.max(max, Math.abs(throughputOf(law, inFlight) / perSecond - 1));
  }, 0);
  return { ...law, worst };
}

/** X(N) of the law. */
function throughputOf({ gamma, sigma, kappa }: Law, n: number): number {
  return (gamma * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

/** At N = sqrt((1 - sigma) / kappa), where there is retrograde scaling at all. Source: Gunther. */
function peakOf(law: Law): ScalabilityFit["peak"] {
  if (law.kappa <= 0 || law.sigma >= 1) return null;
  const inFlight = Math.sqrt((1 - law.sigma) / law.kappa);
  return { inFlight, perSecond: throughputOf(law, inFlight) };
}

/** Coefficients that bring each row's sum closest to 1, by the normal equations. */
function leastSquares(rows: readonly (readonly number[])[]): number[] | null {
  const size = rows[0]?.length ?? 0;
  const at = (row: readonly number[], index: number) => row[index] ?? 0;
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_, j) => {
      return rows.reduce((sum, row) => sum + at(row, i) * at(row, j), 0);
    }),
    rows.reduce((sum, row) => sum + at(row, i), 0),
  ]);
  return eliminate(matrix);
}

/** Gauss-Jordan with pivoting; null for a matrix that is singular. */
function eliminate(matrix: number[][]): number[] | null {
  const size = matrix.length;
  for (let column = 0; column < size; column += 1) {
    const lead = (row: number) => Math.abs(matrix[row]?.[column] ?? 0);
    let pivot = column;
    for (let row = column + 1; row < size; row += 1) if (lead(row) > lead(pivot)) pivot = row;
    const [top, other] = [matrix[pivot], matrix[column]];
    if (top === undefined || other === undefined || lead(pivot) < Number.EPSILON) return null;
    matrix[pivot] = other;
    matrix[column] = top;
    const scale = top[column] ?? 1;
    const unit = top.map((value) => value / scale);
    matrix[column] = unit;
    for (let row = 0; row < size; row += 1) {
      const own = matrix[row];
      const share = own?.[column] ?? 0;
      if (row === column || own === undefined) continue;
      matrix[row] = own.map((value, index) => value - share * (unit[index] ?? 0));
    }
  }
  return matrix.map((row) => row[size] ?? 0);
}
