/** What a comparison compares: the figures of a block, and which way each is worse. */

export const METRIC_NAMES = [
  "job.p50",
  "job.p95",
  "job.p99",
  "api.p50",
  "api.p95",
  "api.p99",
  "throughput",
  "errors",
] as const;

export type MetricName = (typeof METRIC_NAMES)[number];

export interface Metric {
  name: MetricName;
  title: string;
  unit: "ms" | "jobs/s" | "share";
  /** Samples that a block needs for it; fewer make the figure a matter of single requests. */
  samplesMin: number;
}

/** Ours: a percentile with less than one sample beyond it is the largest sample. */
const SAMPLES = { p50: 5, p95: 20, p99: 100, count: 1 } as const;

export const METRICS: readonly Metric[] = [
  { name: "job.p50", title: "submission to end, median", unit: "ms", samplesMin: SAMPLES.p50 },
  { name: "job.p95", title: "submission to end, p95", unit: "ms", samplesMin: SAMPLES.p95 },
  { name: "job.p99", title: "submission to end, p99", unit: "ms", samplesMin: SAMPLES.p99 },
  { name: "api.p50", title: "answer of the API, median", unit: "ms", samplesMin: SAMPLES.p50 },
  { name: "api.p95", title: "answer of the API, p95", unit: "ms", samplesMin: SAMPLES.p95 },
  { name: "api.p99", title: "answer of the API, p99", unit: "ms", samplesMin: SAMPLES.p99 },
  { name: "throughput", title: "jobs completed", unit: "jobs/s", samplesMin: SAMPLES.count },
  { name: "errors", title: "requests and jobs that failed", unit: "share", samplesMin: 1 },
];

/** Figures of one block; null where it had too few samples. */
export type Figures = Readonly<Record<MetricName, number | null>>;

/** Ours: a block without any completed job is taken for one with half a job a second. */
const THROUGHPUT_MIN = 0.5;
/** Ours: a block without any success is taken for one with a success in a thousand. */
const SUCCESS_MIN = 0.001;

/**
 * A figure on the scale of comparison, on which more is worse and a difference of 0.05 is 5 %: the
 * logarithm of a time, minus that of the throughput, minus that of the share that succeeded.
 */
export function badness(metric: MetricName, value: number): number {
  if (metric === "throughput") return -Math.log(Math.max(value, THROUGHPUT_MIN));
  if (metric === "errors") return -Math.log(Math.max(1 - value, SUCCESS_MIN));
  return Math.log(value);
}

/** Differences that do not matter, on the scale of comparison. */
export type Margins = Readonly<Record<MetricName, number>>;

/** Ours: nobody waits for a job or an answer of the API and notices that; networks vary as much. */
const UNNOTICED_MS = 2;

/** The margin of a metric where the base stands at that level: of short times at least 2 ms. */
export function marginAt(margins: Margins, name: MetricName, level: number | null): number {
  const isTime = METRICS.some((metric) => metric.name === name && metric.unit === "ms");
  if (!isTime || level === null) return margins[name];
  return Math.max(margins[name], Math.log1p(UNNOTICED_MS / level));
}

/** Ours: of a hundred requests half a one more may fail before it counts. */
const ERRORS_MARGIN = 0.005;

/** One margin for all times and the throughput, as a share, on the scale of comparison. */
export function evenMargins(share: number): Margins {
  const margin = (name: MetricName) => (name === "errors" ? ERRORS_MARGIN : Math.log(1 + share));
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, margin(name)])) as Margins;
}
