/** Recording rules: error ratios of every service level over every window that alerts look at. */

import type { LatencyObjective, ServiceObjective } from "../objectives.ts";
import { LATENCY_OBJECTIVES, SERVICE_OBJECTIVES } from "../objectives.ts";
import type { RuleOptions } from "./options.ts";
import type { RecordingRule } from "./rule.ts";
import type { Span } from "./time.ts";
import { DAY, HOUR, MINUTE, spanAt } from "./time.ts";

/** One probe of one service in one place; `service` and `environment` may be missing. */
export const GROUP = "job, service, environment, location";

/** Windows of the multi-window alerts (Google's SRE Workbook, ch. 5), and the budget's 30 days. */
export const WINDOWS = {
  "5m": 5 * MINUTE,
  "30m": 30 * MINUTE,
  "1h": HOUR,
  "2h": 2 * HOUR,
  "6h": 6 * HOUR,
  "1d": DAY,
  "3d": 3 * DAY,
  "30d": 30 * DAY,
} as const;
export type Window = keyof typeof WINDOWS;

/** Names say the window as it is meant; under a scale it is shorter. */
export const errorRatio = (window: Window) => `plumbline:slo_errors:ratio_rate${window}`;
export const badEvents = (window: Window) => `plumbline:slo_bad:increase${window}`;
export const OBJECTIVE = "plumbline:slo_objective:ratio";
export const BURN_RATE = "plumbline:slo_burn:ratio_rate1h";
export const BUDGET_LEFT = "plumbline:slo_budget_left:ratio30d";

/** Windows whose bad events are counted: the long ones of the alerts. */
export const COUNTED = ["1h", "6h", "1d", "3d"] as const satisfies readonly Window[];

/** Windows that are long enough to be looked at more seldom. */
const LONG: readonly Window[] = ["1d", "3d", "30d"];

/** What alerts that page need at once. */
export function frequentRules(options: RuleOptions): readonly RecordingRule[] {
  const windows = (Object.keys(WINDOWS) as Window[]).filter((each) => !LONG.includes(each));
  return [
    ...objectives(options),
    ...windowRules(windows, options),
    { record: BURN_RATE, expr: shareSpent("1h") },
  ];
}

/** What reads days of samples at every evaluation. */
export function seldomRules(options: RuleOptions): readonly RecordingRule[] {
  return [...windowRules(LONG, options), { record: BUDGET_LEFT, expr: `1 - ${shareSpent("30d")}` }];
}

function windowRules(windows: readonly Window[], options: RuleOptions): RecordingRule[] {
  const span = spanAt(options.scale);
  const counted = COUNTED.filter((window) => windows.includes(window));
  return SERVICE_OBJECTIVES.flatMap((slo) => [
    ...windows.map((window) => ratio(slo, window, options, span)),
    ...counted.map((window) => count(slo, window, options, span)),
  ]);
}

/** Bad events by those that the objective allows: 1 spends the budget in its 30 days. */
function shareSpent(window: Window): string {
  return `${errorRatio(window)} / (1 - ${OBJECTIVE})`;
}

/** Those of events come from the probe, and so from the target file. */
function objectives({ latency }: RuleOptions): RecordingRule[] {
  const exported = `max by (${GROUP}, slo) (plumbline_slo_objective_ratio)`;
  const stated = LATENCY_OBJECTIVES.map(({ name }) => ({
    record: OBJECTIVE,
    labels: { slo: name },
    expr: `group by (${GROUP}) (plumbline_build_info) * ${share(latency[name].objective)}`,
  }));
  return [{ record: OBJECTIVE, expr: exported }, ...stated];
}

/** A share in per cent as a ratio, without the last places of binary fractions. */
function share(percent: number): number {
  return Number((percent / 100).toFixed(9));
}

function ratio(slo: ServiceObjective, window: Window, options: RuleOptions, span: Span) {
  const over = (selector: string) => `rate(${selector}[${span(WINDOWS[window])}])`;
  const { bad, total } = eventsOf(slo, options, over);
  // Without events there is no ratio, not one of 0: silence is never green.
  const expr = `(${bad}) / ((${total}) > 0)`;
  return { record: errorRatio(window), labels: { slo: slo.name }, expr };
}

function count(slo: ServiceObjective, window: Window, options: RuleOptions, span: Span) {
  const over = (selector: string) => `increase(${selector}[${span(WINDOWS[window])}])`;
  const { bad } = eventsOf(slo, options, over);
  return { record: badEvents(window), labels: { slo: slo.name }, expr: bad };
}

type Over = (selector: string) => string;

function eventsOf(slo: ServiceObjective, options: RuleOptions, over: Over) {
  const sum = (selector: string) => `sum by (${GROUP}) (${over(selector)})`;
  if (slo.kind === "latency") return latencyEvents(slo, options, sum);
  const metric = "plumbline_sli_events_total";
  return {
    bad: sum(`${metric}{slo="${slo.name}",result="bad"}`),
    total: sum(`${metric}{slo="${slo.name}"}`),
  };
}

function latencyEvents(slo: LatencyObjective, options: RuleOptions, sum: Over) {
  const labels = selectorOf(slo, options);
  const within = [...labels, bucketMatcher(options.latency[slo.name].seconds)];
  const counted = sum(`${slo.metric}_count{${labels.join(",")}}`);
  const late = `${counted} - ${sum(`${slo.metric}_bucket{${within.join(",")}}`)}`;
  if (slo.name !== "queue-wait") return { bad: late, total: counted };
  // A job that never left the queue has no transition; leaving it out would look fast.
  const waiting = sum('plumbline_job_censored_age_seconds_count{state="queued"}');
  return { bad: `${late} + ${waiting}`, total: `${counted} + ${waiting}` };
}

function selectorOf({ name }: LatencyObjective, { timedCanaries }: RuleOptions): string[] {
  // Metrics of the legacy form, and samples of before, have the stays that a cancel ended.
  if (name === "queue-wait") return ['from="queued"', 'to!="cancelled"'];
  return name === "job-duration" ? [`canary=~"${timedCanaries}"`] : [];
}

/** Prometheus 3 writes whole bounds as "10.0", Prometheus 2 as the probe does: "10". */
export function bucketMatcher(seconds: number): string {
  const [whole = "", fraction] = String(seconds).split(".");
  return fraction === undefined ? `le=~"${whole}([.]0)?"` : `le="${whole}.${fraction}"`;
}

/** The names of all recorded series, with their labels. */
export const RECORDED: ReadonlyMap<string, readonly string[]> = new Map(
  [
    OBJECTIVE,
    BURN_RATE,
    BUDGET_LEFT,
    ...(Object.keys(WINDOWS) as Window[]).map(errorRatio),
    ...COUNTED.map(badEvents),
  ].map((name) => [name, ["job", "service", "environment", "location", "slo"]]),
);
