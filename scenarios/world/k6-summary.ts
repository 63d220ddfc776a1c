/** k6's own figures of the requests, beside the verdicts: by method and route. */

import { ROUTES } from "../../contract/requests/routes.ts";

export interface SummaryData {
  state: { testRunDurationMs: number };
  metrics: Readonly<Record<string, { values: Readonly<Record<string, number>> } | undefined>>;
}

/** Requests as `name` tags them; those to cancel a job may have any of the last methods. */
const NAMES: readonly string[] = [
  ...[ROUTES.me, ROUTES.credits, ROUTES.deployments, ROUTES.workers, ROUTES.worker].map(got),
  `POST ${ROUTES.publish}`,
  `POST ${ROUTES.submit}`,
  ...[ROUTES.jobs, ROUTES.job].map(got),
  ...["DELETE", "POST", "PATCH", "PUT"].map((method) => `${method} ${ROUTES.job}`),
];

function got(route: string): string {
  return `GET ${route}`;
}

const COUNT = "http_reqs";
const DURATION = "http_req_duration";

function sub(metric: string, name: string): string {
  return `${metric}{name:${name}}`;
}

/** Always met: k6 keeps figures by tag of those alone that a threshold names. */
export function requestThresholds(): Record<string, string[]> {
  const counts = NAMES.map((name) => [sub(COUNT, name), ["count>=0"]] as const);
  const durations = NAMES.map((name) => [sub(DURATION, name), ["max>=0"]] as const);
  return Object.fromEntries([...counts, ...durations].map(([name, met]) => [name, [...met]]));
}

/** A line for each kind of request that was sent, and one for all. Durations in milliseconds. */
export function requestLines(data: SummaryData): readonly string[] {
  const rows = NAMES.flatMap((name) => {
    const row = figures(data, name, sub(COUNT, name), sub(DURATION, name));
    return row ?? [];
  });
  const all = figures(data, "all requests", COUNT, DURATION);
  if (all === null) return [];
  const heading = { name: "", cells: ["sent", "p50", "p95", "max"] };
  return [heading, ...rows, all].map(({ name, cells }) => {
    return `  ${name.padEnd(NAME_CHARS)}${cells.map((cell) => cell.padStart(CELL_CHARS)).join("")}`;
  });
}

/** Ours: the longest name, and a number of six digits with its unit. */
const NAME_CHARS = 36;
const CELL_CHARS = 10;

function figures({ metrics }: SummaryData, name: string, count: string, duration: string) {
  const sent = metrics[count]?.values.count ?? 0;
  if (sent === 0) return null;
  const { med, "p(95)": p95, max } = metrics[duration]?.values ?? {};
  const times = [med, p95, max].map((ms) => (ms === undefined ? "-" : `${ms.toFixed(1)} ms`));
  return { name, cells: [String(sent), ...times] };
}
