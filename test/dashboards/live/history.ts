/** Three healthy days before the faults, at the pace of the live test, as OpenMetrics text. */

import { LATENCY_OBJECTIVES } from "../../../dashboards/objectives.ts";
import type { RuleOptions } from "../../../dashboards/rules/options.ts";
import { CANARY_MS } from "./pace.ts";

/** The longest window of any alert. */
const DAYS = 3;
const DAY_SECONDS = 86_400;
/** Ours: a few samples for every window that reaches back beyond the test. */
const SAMPLES = 200;
/** Of the probes of all worlds. */
export const LOCATION = "lab";

interface Series {
  name: string;
  labels: string;
}

/** Every series is a count of events, one a canary. */
export function historyOf(
  { scale, job, latency }: RuleOptions,
  environments: readonly string[],
  nowMs: number,
): string {
  const spanSeconds = DAYS * DAY_SECONDS * scale;
  const stepSeconds = spanSeconds / SAMPLES;
  const times = Array.from({ length: SAMPLES }, (_, at) => {
    const beforeSeconds = (SAMPLES - at) * stepSeconds;
    const count = Math.round(((at + 1) * stepSeconds * 1_000) / CANARY_MS);
    return { seconds: (nowMs / 1_000 - beforeSeconds).toFixed(3), count };
  });
  const lines = familiesOf(latency).flatMap(({ family, type, series }) => [
    `# TYPE ${family} ${type}`,
    ...environments.flatMap((environment) => {
      const place = `job="${job}",environment="${environment}",location="${LOCATION}"`;
      return series.flatMap(({ name, labels }) =>
        times.map(
          ({ seconds, count }) =>
            `${name}{${place},instance="before",${labels}} ${count} ${seconds}`,
        ),
      );
    }),
  ]);
  return `${lines.join("\n")}\n# EOF\n`;
}

function familiesOf(latency: RuleOptions["latency"]) {
  const events = ["canary-success", "api-available", "webhook-delivered"].map((slo) => ({
    name: "plumbline_sli_events_total",
    labels: `slo="${slo}",result="good"`,
  }));
  const histograms = LATENCY_OBJECTIVES.map(({ name, metric }) => ({
    // Buckets come without a last one: only the bound of the objective is ever asked for.
    family: metric,
    type: "unknown",
    series: histogram(metric, latency[name].seconds),
  }));
  const counted = histograms.flatMap(({ series }) => series);
  const names = [...new Set(counted.map(({ name }) => name))];
  return [
    { family: "plumbline_sli_events", type: "counter", series: events },
    ...names.map((family) => ({
      family,
      type: "unknown",
      series: counted.filter(({ name }) => name === family),
    })),
  ];
}

/** Labels as each objective's selector asks for them. */
const SELECTED = 'canary="success",worker="echo",from="queued"';

function histogram(metric: string, seconds: number): Series[] {
  const bound = Number.isInteger(seconds) ? `${seconds}.0` : String(seconds);
  return [
    { name: `${metric}_count`, labels: SELECTED },
    { name: `${metric}_bucket`, labels: `${SELECTED},le="${bound}"` },
  ];
}
