/** Multi-window, multi-burn-rate alerts on error budgets. Google's SRE Workbook, ch. 5. */

import type { ServiceObjective } from "../objectives.ts";
import { SERVICE_OBJECTIVES } from "../objectives.ts";
import type { RuleOptions } from "./options.ts";
import type { COUNTED, Window } from "./recording.ts";
import { badEvents, errorRatio, GROUP, OBJECTIVE, WINDOWS } from "./recording.ts";
import type { AlertRule, BoardId, Severity } from "./rule.ts";
import { MINUTE, spanAt } from "./time.ts";

interface BurnRate {
  factor: number;
  long: (typeof COUNTED)[number];
  short: Window;
  severity: Severity;
  forSeconds: number;
}

/** The Workbook's table: 2 % of the budget in 1 h, 5 % in 6 h, 10 % in 1 d, 10 % in 3 d. */
const BURN_RATES: readonly BurnRate[] = [
  { factor: 14.4, long: "1h", short: "5m", severity: "page", forSeconds: 0 },
  { factor: 6, long: "6h", short: "30m", severity: "page", forSeconds: 2 * MINUTE },
  { factor: 3, long: "1d", short: "2h", severity: "ticket", forSeconds: 15 * MINUTE },
  { factor: 1, long: "3d", short: "6h", severity: "ticket", forSeconds: 60 * MINUTE },
];

/**
 * Ours: at a canary a minute a single failure spends hours of budget, and says little. Three do
 * speak; half an event less allows for what `increase` estimates at the edges of its window.
 */
const BAD_EVENTS_MIN = 2.5;
/** Ours: four checks go out together, and one bad moment spoils them all; two moments speak. */
const BAD_CHECKS_MIN = 5.5;

/** Ours: under an objective below 94 % fourteen times the budget is more than everything. */
const RATIO_MAX = 0.9;

const BOARDS: Readonly<Record<ServiceObjective["name"], BoardId>> = {
  "canary-success": "overview",
  "api-available": "api",
  "webhook-delivered": "webhooks",
  "queue-wait": "jobs",
  "job-duration": "jobs",
  "webhook-delay": "webhooks",
};

/** The burn rate over the long window, as Prometheus puts it in. */
const MEASURED = '{{ $value | printf "%.1f" }}';

export function burnRateAlerts(options: RuleOptions): readonly AlertRule[] {
  return SERVICE_OBJECTIVES.flatMap((slo) =>
    BURN_RATES.map((burn) => burnRateAlert(slo, burn, options)),
  );
}

function burnRateAlert(slo: ServiceObjective, burn: BurnRate, options: RuleOptions): AlertRule {
  const { factor, long, short, severity, forSeconds } = burn;
  const least = slo.name === "api-available" ? BAD_CHECKS_MIN : BAD_EVENTS_MIN;
  const of = (name: string) => `${name}{slo="${slo.name}"}`;
  const allowed = `(1 - ${of(OBJECTIVE)})`;
  const limit = `clamp_max(${RATIO_MAX} / ${allowed}, ${factor})`;
  const times = factor === 1 ? "more than" : `${factor} times`;
  return {
    alert: slo.alert,
    when: `${times} the allowed share of bad events in ${long} and in ${short}`,
    severity,
    forSeconds,
    labels: { slo: slo.name, long_window: long, short_window: short },
    expr: [
      `${of(errorRatio(long))} / ${allowed} > ${limit}`,
      `and ${of(errorRatio(short))} / ${allowed} > ${limit}`,
      `and ${of(badEvents(long))} > ${least}`,
      `unless ${of(errorRatio(long))} / ${allowed}`,
      `  * on (${GROUP}) group_left () ${watchedShare(long, options)} <= ${limit}`,
    ].join("\n"),
    summary:
      `${symptomOf(slo, options)}: error budget burns ${MEASURED} times as fast as allowed ` +
      `over ${long}`,
    description: describe(slo, burn, options),
    board: BOARDS[slo.name],
  };
}

/**
 * How much of the window the probe has been there for: of a younger one the events of minutes would
 * speak for hours, and spend no such share of the budget.
 */
function watchedShare(window: Window, { job, scale }: RuleOptions): string {
  const range = spanAt(scale)(WINDOWS[window]);
  const start = `min_over_time(process_start_time_seconds{job="${job}"}[${range}])`;
  const age = `time() - min by (${GROUP}) (${start})`;
  return `clamp_max((${age}) / ${WINDOWS[window] * scale}, 1)`;
}

/** Somebody woken by it knows what to look at before any board is open. */
function symptomOf(slo: ServiceObjective, { latency }: RuleOptions): string {
  return slo.kind === "latency" ? `${slo.symptom} ${latency[slo.name].seconds} s` : slo.symptom;
}

function describe(slo: ServiceObjective, { factor, long, short }: BurnRate, options: RuleOptions) {
  const bound = slo.kind === "latency" ? ` (bound: ${options.latency[slo.name].seconds} s)` : "";
  const limit = `Threshold: ${factor}, over ${long} and over ${short}`;
  const bad = `A bad event is ${slo.bad}${bound}`;
  const first = slo.first === undefined ? "" : ` ${slo.first}`;
  return `Measured burn rate over ${long}: ${MEASURED}. ${limit}. ${bad}.${first}`;
}
