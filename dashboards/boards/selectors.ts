/** Label matchers that tie queries to the variables of a board. */

const SERVICE = 'service=~"$service",environment=~"$environment"';

/** Every series that a probe exports. `SERVICE` may be missing: its "all" matches that, too. */
export const PROBE = `job=~"$job",instance=~"$instance",${SERVICE},location=~"$location"`;
export const CANARY = `${PROBE},canary=~"$canary"`;
export const WORKER = `${PROBE},worker=~"$worker"`;
/** Recorded series, and alerts: nobody's instance any more. */
export const RECORDED = `job=~"$job",${SERVICE},location=~"$location"`;

/** Alerts: some have no place, as nothing is there that could tell one. */
export const ALERT =
  'job=~"$job|",service=~"$service|",environment=~"$environment|",location=~"$location|"';

/** Series of k6, by remote write. */
export const RUN = 'run=~"$run",scenario=~"$scenario"';
export const BASELINE = 'run=~"$baseline",scenario=~"$scenario"';

export const RATE = "$__rate_interval";

/** The share of a whole; nothing where the whole is nothing, instead of NaN. */
export function ratio(part: string, whole: string): string {
  return `(${part}) / ((${whole}) > 0)`;
}

/** What is above 0; a single series "none" where nothing is, so that no panel looks broken. */
export function seen(expr: string, label: string): string {
  return `(${expr} > 0) or on () label_replace(vector(0), "${label}", "none", "", "")`;
}

/**
 * A quantile of a classic histogram; nothing, instead of NaN, where nothing was recorded. Canaries
 * may be too seldom for a single value of now: that takes a longer range.
 */
export function quantile(share: number, metric: string, selector: string, by = "", range = RATE) {
  const labels = ["le", by].filter(Boolean).join(", ");
  const rate = `rate(${metric}_bucket{${selector}}[${range}])`;
  return `histogram_quantile(${share}, sum by (${labels}) (${rate})) >= 0`;
}

/** Events by bucket, as a heatmap reads them. */
export function buckets(metric: string, selector: string): string {
  return `sum by (le) (increase(${metric}_bucket{${selector}}[${RATE}]))`;
}

/** Counted events between two points of a graph. */
export function events(selector: string, by = ""): string {
  return counted(selector, RATE, by);
}

/** Counted events over the whole time range that is shown; 0 where a label was never seen. */
export function eventsShown(selector: string, by = ""): string {
  return whole(counted(selector, "$__range", by));
}

/**
 * A count that is shown as a number. `increase` adds its estimate of what lies beyond the edges of
 * the range and never takes off, so that the next whole number below is the nearest to what was
 * counted, and an event that was counted is never lost.
 */
export function whole(count: string): string {
  return `floor(${count})`;
}

/** Counted events of the last hour. */
export function eventsOfHour(selector: string): string {
  return counted(selector, "1h", "");
}

function counted(selector: string, range: string, by: string): string {
  return `sum${by === "" ? "" : ` by (${by}) `}(increase(${selector}[${range}]))`;
}

/** A gauge of each canary; several probes of one place are as good as the best of them. */
export function ofCanary(metric: string, condition = ""): string {
  return `max by (location, canary) (${metric}{${CANARY}}${condition})`;
}

/** How many of its own intervals each canary has been without what the time stamp tells. */
export function intervalsSince(timestamp: string): string {
  const seconds = `time() - ${ofCanary(timestamp, " > 0")}`;
  return `(${seconds}) / ${ofCanary("plumbline_canary_interval_seconds")}`;
}

/** Violations of promises whose ids match. */
export function violations(matcher: string): string {
  return `plumbline_promise_violations_total{${PROBE},promise${matcher}}`;
}
