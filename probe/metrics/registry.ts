/** The catalogue as live metrics in a registry of their own. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

import type { MetricEntry, MetricOf } from "./catalogue.ts";
import { METRICS, METRICS_LEGACY } from "./catalogue.ts";

type Labels = Readonly<Record<string, string>>;

export interface Metrics {
  /** Histograms have the labels and buckets of the release before; retired counters exist. */
  readonly isLegacy: boolean;
  increment(name: MetricOf<"counter">, labels?: Labels, by?: number): void;
  /**
   * A counter of a sum that may fall, as estimates are put right. A counter never does: it stands
   * still until what comes next has made up for it.
   */
  add(name: MetricOf<"counter">, labels: Labels, change: number): void;
  set(name: MetricOf<"gauge">, labels: Labels, value: number): void;
  /**
   * A time of the probe's clock, told by that of the machine: as it is at the scrape, whenever it
   * was set.
   */
  setTime(name: MetricOf<"gauge">, labels: Labels, atMs: number): void;
  /** The job that the value comes from goes along as an exemplar. */
  record(name: MetricOf<"histogram">, labels: Labels, value: number, jobId?: string | null): void;
  /** Makes a label set exist at 0. */
  touch(name: MetricOf<"counter"> | MetricOf<"histogram">, labels: Labels): void;
  /** Takes a canary's own gauges away: of one that is no more, they would look like silence. */
  forgetCanary(canary: string): void;
  /** Tells of this process as well: its memory, processor time and event loop. */
  watchProcess(): void;
  /** Called before each scrape: for gauges that are read, not kept. */
  beforeScrape(refresh: () => void): void;
  scrape(accept: string): Promise<{ contentType: string; text: string }>;
}

/** `everywhere`: labels of all series. `driftMs`: by how much the machine's clock is ahead. */
export function createMetrics(
  everywhere: Labels & { location: string },
  driftMs: () => number,
  isLegacy: boolean,
): Metrics {
  return new CatalogueMetrics(everywhere, driftMs, isLegacy);
}

/** Ours: OpenMetrics §4.6.1 allows 128 characters of label names and values in an exemplar. */
const EXEMPLAR_CHARS_MAX = 120;

/** Default gauges that are named like counters, and say only what their siblings do by type. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Gauges of single canaries, which nobody sets any more once theirs is gone. */
const OF_ONE_CANARY = /^plumbline_(canary_|jobs_in_flight)/;

class CatalogueMetrics implements Metrics {
  readonly isLegacy: boolean;
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  /** Label sets of histograms that exist: prom-client would set them back to 0. */
  readonly #begun = new Set<string>();
  /** By how much counters stand above the sums that they follow. */
  readonly #surplus = new Map<string, number>();
  readonly #refreshers: (() => void)[] = [];
  /** By series. */
  readonly #times = new Map<string, Time>();
  readonly #driftMs: () => number;
  #shownDriftMs = 0;
  #scraping: Promise<unknown> = Promise.resolve();

  constructor(everywhere: Labels, driftMs: () => number, isLegacy: boolean) {
    this.isLegacy = isLegacy;
    this.#driftMs = driftMs;
    // Exemplars are refused by a registry of another format; each scrape sets its own.
    this.#setFormat(Registry.OPENMETRICS_CONTENT_TYPE);
    this.#registry.setDefaultLabels(everywhere);
    for (const entry of isLegacy ? METRICS_LEGACY : METRICS) this.#create(entry);
  }

  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  /** The registry's type is bound to one format, the registry itself is not. */
  #setFormat(contentType: string): void {
    this.#registry.setContentType(contentType as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  }

  #create({ name, type, help, labels, buckets = [] }: MetricEntry): void {
    const common = { name, help, labelNames: [...labels], registers: [this.#registry] };
    if (type === "counter") this.#counters.set(name, new Counter(common));
    else if (type === "gauge") this.#gauges.set(name, new Gauge(common));
    else {
      const options = { ...common, buckets: [...buckets], enableExemplars: true as const };
      this.#histograms.set(name, new Histogram(options));
    }
  }

  increment(name: MetricOf<"counter">, labels: Labels = {}, by = 1): void {
    known(this.#counters, name).inc(labels, by);
  }

  add(name: MetricOf<"counter">, labels: Labels, change: number): void {
    const series = seriesKey(name, labels);
    const due = change - (this.#surplus.get(series) ?? 0);
    this.#surplus.set(series, Math.max(0, -due));
    this.increment(name, labels, Math.max(0, due));
  }

  set(name: MetricOf<"gauge">, labels: Labels, value: number): void {
    known(this.#gauges, name).set(labels, value);
  }

  setTime(name: MetricOf<"gauge">, labels: Labels, atMs: number): void {
    this.#times.set(seriesKey(name, labels), { name, labels, atMs });
  }

  record(name: MetricOf<"histogram">, labels: Labels, value: number, jobId?: string | null): void {
    const exemplarLabels = jobId == null ? {} : { job_id: jobId.slice(0, EXEMPLAR_CHARS_MAX) };
    const histogram = known(this.#histograms, name);
    this.#begun.add(seriesKey(name, labels));
    // With exemplars on, prom-client takes one object in place of two arguments.
    histogram.observe({ labels, value, exemplarLabels });
  }

  touch(name: MetricOf<"counter"> | MetricOf<"histogram">, labels: Labels): void {
    const histogram = this.#histograms.get(name);
    const series = seriesKey(name, labels);
    if (histogram === undefined) known(this.#counters, name).inc(labels, 0);
    else if (!this.#begun.has(series)) {
      this.#begun.add(series);
      histogram.zero(labels);
    }
  }

  forgetCanary(canary: string): void {
    for (const [name, gauge] of this.#gauges) {
      if (!OF_ONE_CANARY.test(name)) continue;
      gauge.remove({ canary });
      this.#times.delete(seriesKey(name, { canary }));
    }
  }

  beforeScrape(refresh: () => void): void {
    this.#refreshers.push(refresh);
  }

  /** One at a time: prom-client keeps the format, and the counters' names, in shared state. */
  scrape(accept: string): Promise<{ contentType: string; text: string }> {
    const next = this.#scraping.then(() => this.#scrapeAs(accept.includes("openmetrics")));
    this.#scraping = next.catch(() => {});
    return next;
  }

  async #scrapeAs(openMetrics: boolean): Promise<{ contentType: string; text: string }> {
    for (const refresh of this.#refreshers) refresh();
    const driftMs = this.#driftMs();
    if (Math.abs(driftMs - this.#shownDriftMs) >= DRIFT_STEP_MS) this.#shownDriftMs = driftMs;
    for (const { name, labels, atMs } of this.#times.values()) {
      this.set(name, labels, (atMs + this.#shownDriftMs) / 1_000);
    }
    const contentType = openMetrics
      ? Registry.OPENMETRICS_CONTENT_TYPE
      : Registry.PROMETHEUS_CONTENT_TYPE;
    this.#setFormat(contentType);
    const counters = this.#registry.getMetricsAsArray() as unknown as NamedMetric[];
    for (const metric of counters) restoreName(metric);
    return { contentType, text: await this.#registry.metrics() };
  }
}

/** The same for the same labels in the same order. */
function seriesKey(name: string, labels: Labels): string {
  return `${name} ${JSON.stringify(labels)}`;
}

/** Ours: a smaller change is how long it takes to read two clocks; a time would never rest. */
const DRIFT_STEP_MS = 50;

interface Time {
  name: MetricOf<"gauge">;
  labels: Labels;
  atMs: number;
}

interface NamedMetric {
  name: string;
  type?: string;
  originalName?: string;
}

/** An OpenMetrics scrape takes `_total` off the counters' names, and never puts it back. */
function restoreName(metric: NamedMetric): void {
  metric.originalName ??= metric.name;
  metric.name = metric.originalName;
}

function known<Metric>(metrics: ReadonlyMap<string, Metric>, name: string): Metric {
  const metric = metrics.get(name);
  if (metric === undefined) throw new Error(`metric "${name}" is not in the catalogue`);
  return metric;
}
