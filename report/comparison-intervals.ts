/** What the page shows of a comparison of two deployments; comparison.json has all of it. */

export interface ComparisonIntervals {
  base: { label: string };
  candidate: { label: string };
  verdict: ComparedMetric["verdict"];
  verdictReason: string;
  metrics: readonly ComparedMetric[];
}

/** A change is a share; above 0 is worse, also for the throughput. */
export interface ComparedMetric {
  name: string;
  unit: string;
  base: number | null;
  candidate: number | null;
  /** With its interval; null where too little was seen. */
  change: number | null;
  low: number | null;
  high: number | null;
  /** Changes up to this one do not matter. */
  margin: number;
  verdict: "better" | "worse" | "same" | "unknown";
  /** Why it can't be told, or null. */
  reason: string | null;
}
