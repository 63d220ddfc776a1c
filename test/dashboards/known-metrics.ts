/** Every metric that boards and rules may name, with its type and labels. */

import { RECORDED } from "../../dashboards/rules/recording.ts";
import { METRICS } from "../../probe/metrics/catalogue.ts";

export interface Known {
  type: "counter" | "gauge" | "histogram";
  labels: readonly string[];
  /** Labels that it has in its legacy form alone. */
  legacyLabels?: readonly string[];
  origin: "catalogue" | "process" | "k6" | "prometheus" | "recorded";
}

/** What a scrape adds to all series; `service` and `environment` are the operator's. */
const SCRAPED = ["job", "instance", "service", "environment"];
const PROBE = [...SCRAPED, "location"];

/** Of prom-client's default metrics. */
const PROCESS: Readonly<Record<string, Known["type"]>> = {
  process_start_time_seconds: "gauge",
  process_resident_memory_bytes: "gauge",
  process_cpu_seconds_total: "counter",
  process_open_fds: "gauge",
  nodejs_eventloop_lag_p99_seconds: "gauge",
  nodejs_heap_size_used_bytes: "gauge",
};

const PROMETHEUS: Readonly<Record<string, Known>> = {
  up: { type: "gauge", labels: SCRAPED, origin: "prometheus" },
  scrape_duration_seconds: { type: "gauge", labels: SCRAPED, origin: "prometheus" },
  prometheus_notifications_alertmanagers_discovered: {
    type: "gauge",
    labels: SCRAPED,
    origin: "prometheus",
  },
  ALERTS: {
    type: "gauge",
    labels: [...PROBE, "alertname", "alertstate", "severity", "canary", "slo", "promise"],
    origin: "prometheus",
  },
};

/** Of k6's output experimental-prometheus-rw: the tags that scenarios and the gate set. */
const RUN = ["run", "scenario"];
const REQUEST = [...RUN, "method", "name", "status", "error_code"];
const K6: Readonly<Record<string, readonly [Known["type"], readonly string[]]>> = {
  k6_http_reqs_total: ["counter", REQUEST],
  k6_http_req_duration_p50: ["gauge", REQUEST],
  k6_http_req_duration_p95: ["gauge", REQUEST],
  k6_http_req_duration_p99: ["gauge", REQUEST],
  k6_http_req_blocked_p95: ["gauge", REQUEST],
  k6_data_sent_total: ["counter", RUN],
  k6_data_received_total: ["counter", RUN],
  k6_vus: ["gauge", RUN],
  k6_plumbline_verdict: ["gauge", [...RUN, "promise"]],
};

export const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...METRICS.flatMap(({ name, type, labels, legacy }): [string, Known][] => {
    const own = [...PROBE, ...labels];
    if (type !== "histogram") return [[name, { type, labels: own, origin: "catalogue" }]];
    const rest = { legacyLabels: legacy?.labels ?? [], origin: "catalogue" } as const;
    return [
      [`${name}_bucket`, { type: "histogram", labels: [...own, "le"], ...rest }],
      [`${name}_count`, { type: "counter", labels: own, ...rest }],
      [`${name}_sum`, { type: "counter", labels: own, ...rest }],
    ];
  }),
  ...Object.entries(PROCESS).map(([name, type]): [string, Known] => [
    name,
    { type, labels: PROBE, origin: "process" },
  ]),
  ...Object.entries(PROMETHEUS),
  ...Object.entries(K6).map(([name, [type, labels]]): [string, Known] => [
    name,
    { type, labels, origin: "k6" },
  ]),
  ...[...RECORDED].map(([name, labels]): [string, Known] => [
    name,
    { type: "gauge", labels, origin: "recorded" },
  ]),
]);

/** The catalogue's entry that a series belongs to; null for those of others. */
export function catalogueName(metric: string): string | null {
  const names = METRICS.map(({ name }) => name);
  return (
    names.find((name) => name === metric.replace(/_(bucket|count|sum)$/, "")) ??
    (names.includes(metric) ? metric : null)
  );
}
