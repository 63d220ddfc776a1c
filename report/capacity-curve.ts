/** What the page shows of a capacity search: plain data, which the command's result is turned to. */

export interface CapacityCurve {
  /** "completed jobs", "requests to GET /v1/me". */
  unit: string;
  /** The answer in a sentence. */
  summary: string;
  points: readonly CapacityPoint[];
  /** Highest rate that keeps the objective, with the interval at that confidence. */
  estimate: { perSecond: number; low: number; high: number; confidence: number } | null;
  /** Where more offered no longer brings more; null where that was not reached. */
  kneePerSecond: number | null;
  /** What gives way first, as a word and in a sentence. */
  bottleneck: { name: string; text: string } | null;
  /** Bound of the p95 latency; null where none was set. */
  objectiveP95Ms: number | null;
  /** What the plans of the keys have room for. */
  planPerSecond: number | null;
  /** A fitted curve, such as that of the universal scalability law; empty where none fits. */
  fit: readonly { offeredPerSecond: number; achievedPerSecond: number }[];
}

export interface CapacityPoint {
  offeredPerSecond: number;
  achievedPerSecond: number | null;
  p95Ms: number | null;
  /** `withdrawn`: the generator was at fault, so the point says nothing. */
  outcome: "pass" | "fail" | "withdrawn";
}
