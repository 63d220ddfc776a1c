/** What the page shows of a comparison of two deployments: plain data, a row a metric. */

export interface ComparisonIntervals {
  base: string;
  candidate: string;
  /** The answer in a sentence. */
  summary: string;
  metrics: readonly ComparedMetric[];
}

export interface ComparedMetric {
  name: string;
  unit: string;
  base: number | null;
  candidate: number | null;
  /** Candidate over base, with its interval; null where too little was seen. */
  ratio: { value: number; low: number; high: number } | null;
  /** Ratios from 1 - margin to 1 + margin do not matter. */
  margin: number;
  verdict: "better" | "worse" | "same" | "can't tell";
  /** Why it can't be told, or null. */
  reason: string | null;
}
