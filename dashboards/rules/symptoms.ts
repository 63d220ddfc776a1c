/** Alerts on what users of the service feel, and on what the service charges and promises. */

import { BY_CANARY, FAILED_RUNS, rises, violations } from "./expressions.ts";
import type { RuleOptions } from "./options.ts";
import type { Pace } from "./paces.ts";
import { PACES, rangeOf } from "./paces.ts";
import { GROUP } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { page, ticket } from "./rule.ts";
import type { Span } from "./time.ts";
import { DAY, HOUR, MINUTE, spanAt } from "./time.ts";

const SHORT = 30 * MINUTE;
const LONG = 6 * HOUR;

/** Promises that have an alert of their own. */
const TOLD_APART = "timeout[.]free|rate[.]retry-after-.*|webhook[.]delivered";

export function symptomAlerts({ scale }: RuleOptions): readonly AlertRule[] {
  const span = spanAt(scale);
  return [
    canaryFailing(scale),
    jobsStuck(span),
    timeoutCharged(span),
    webhookMissing(span),
    promiseBroken(span),
    rateLimitedWithinPlan(span),
    retryAfterUntrue(span),
    creditsLow(scale, span),
    budgetLow(scale, span),
  ];
}

const INTERVAL = `max by (${BY_CANARY}) (plumbline_canary_interval_seconds)`;

/** Two failures and three intervals without a success: a single failed run never does it. */
function canaryFailing(scale: number): AlertRule {
  return page("PlumblineCanaryFailing", {
    when: "two runs of a canary failed, and none succeeded for three of its intervals",
    expr: [
      "(",
      PACES.map((pace) => `  (${failingAt(pace, scale)})`).join("\n  or\n"),
      ")",
      `and max by (${BY_CANARY}) (plumbline_canary_last_run_success) == 0`,
    ].join("\n"),
    summary:
      "Canary {{ $labels.canary }}: {{ $value }} failed runs, no success for three intervals",
    description:
      "{{ $value }} runs of the canary failed, and none has succeeded for more than three of " +
      "its intervals. The status page shows the outcomes and the job identifiers.",
    board: "overview",
  });
}

/** A probe that was started without its journal knows of no success; the window does. */
function failingAt(pace: Pace, scale: number): string {
  const range = rangeOf(pace, scale);
  const success = `max_over_time(plumbline_canary_last_success_timestamp_seconds[${range}])`;
  return [
    `${rises(FAILED_RUNS, range, BY_CANARY)} >= 2`,
    `and ${INTERVAL} > ${pace.above * scale} <= ${pace.upTo * scale}`,
    `and time() - max by (${BY_CANARY}) (${success}) > 3 * ${INTERVAL}`,
  ].join("\n    ");
}

function jobsStuck(span: Span): AlertRule {
  const late = 'plumbline_canary_runs_total{outcome="deadline"}';
  return ticket("PlumblineJobsStuck", {
    when: "two jobs of a canary missed their deadline within an hour",
    expr: `${rises(late, span(HOUR), BY_CANARY)} >= 2`,
    summary: "Canary {{ $labels.canary }}: {{ $value }} jobs missed their deadline in an hour",
    description:
      "{{ $value }} jobs were accepted in the last hour and did not end by their deadline. The " +
      "state last seen tells a backlog (queued) from a slow worker (running).",
    board: "jobs",
  });
}

function timeoutCharged(span: Span): AlertRule {
  return ticket("PlumblineTimeoutCharged", {
    when: "a job that timed out was charged",
    expr: `${rises(violations('="timeout.free"'), span(HOUR))} >= 1`,
    summary: "Timed-out jobs were charged in the last hour: {{ $value }}",
    description:
      "Jobs of the last hour that timed out and were charged: {{ $value }}. A job that times out " +
      "must cost 0 (timeout.free, §1.4).",
    board: "jobs",
  });
}

function webhookMissing(span: Span): AlertRule {
  const missing = 'plumbline_webhook_deliveries_total{outcome="missing"}';
  return ticket("PlumblineWebhookMissing", {
    when: "two webhooks within an hour had not arrived after all retries were due",
    expr: `${rises(missing, span(HOUR))} >= 2`,
    summary: "{{ $value }} webhooks did not arrive in the last hour",
    description:
      "{{ $value }} webhooks of the last hour had not arrived when the last retry was overdue " +
      "(expected: fewer than 2).",
    board: "webhooks",
  });
}

function promiseBroken(span: Span): AlertRule {
  const seen = rises(violations(`!~"${TOLD_APART}"`), span(HOUR), `${GROUP}, promise`);
  return ticket("PlumblinePromiseBroken", {
    when: "a promise without an alert of its own is broken",
    expr: `${seen} >= 1`,
    summary: "Promise {{ $labels.promise }} is broken; violations in the last hour: {{ $value }}",
    description:
      "Observations of the last hour that contradict {{ $labels.promise }}: {{ $value }} " +
      "(expected: 0). The status page says what was seen, and of which jobs. `plumbline explain " +
      "{{ $labels.promise }}` says what it means.",
    board: "overview",
  });
}

/** The probe keeps to a share of its plan, and rests as long as it is told. */
function rateLimitedWithinPlan(span: Span): AlertRule {
  return ticket("PlumblineRateLimitedWithinPlan", {
    when: "three 429 responses within 15 minutes, at a small share of the plan's limits",
    expr: `${rises("plumbline_http_rate_limited_total", span(15 * MINUTE))} >= 3`,
    summary: "The probe gets 429 within its plan's limits: {{ $value }} times in 15 min",
    description:
      "{{ $value }} responses of the last 15 min were 429, although the probe uses a small share " +
      "of its plan's limits. Either the limit is below the plan, or somebody else uses the key.",
    board: "api",
  });
}

function retryAfterUntrue(span: Span): AlertRule {
  const seen = rises(violations('=~"rate[.]retry-after-.*"'), span(HOUR), `${GROUP}, promise`);
  return ticket("PlumblineRetryAfterUntrue", {
    when: "a 429 without a valid `Retry-After`",
    expr: `${seen} >= 1`,
    summary: "429 responses without a valid Retry-After in the last hour: {{ $value }}",
    description:
      "429 responses of the last hour that violate {{ $labels.promise }}: {{ $value }}. Clients " +
      "can't know how long to wait.",
    board: "api",
  });
}

/** Ours: over a weekend. */
const CREDITS_SECONDS = 3 * DAY;

function creditsLow(scale: number, span: Span): AlertRule {
  const rate = `sum by (${GROUP}) (rate(plumbline_spent_total{unit="credits"}[${span(LONG)}]))`;
  const left = `min by (${GROUP}) (plumbline_credits_left)`;
  const refused = rises(
    'plumbline_canary_runs_total{outcome="credits"}',
    span(SHORT),
    `${GROUP}, outcome`,
  );
  return ticket("PlumblineCreditsLow", {
    when: "credits last less than three days, or two submissions got 402",
    forSeconds: 5 * MINUTE,
    expr: [`${left} < ${CREDITS_SECONDS * scale} * (${rate} > 0)`, `or ${refused} >= 2`].join("\n"),
    summary:
      "Credits run out: {{ if $labels.outcome }}{{ $value }} submissions got 402{{ else }}" +
      "{{ $value | humanize }} left{{ end }}",
    description:
      "{{ if $labels.outcome }}{{ $value }} submissions of the last 30 min were refused with " +
      "402.{{ else }}{{ $value | humanize }} credits are left. At the current cost of canaries " +
      "they last less than three days.{{ end }} Without credits nothing is watched.",
    board: "api",
  });
}

/** Ours: time to act before canaries stop. */
const BUDGET_SECONDS = 2 * HOUR;

/** A day's ceiling that lasts until midnight (UTC, as the probe counts) is no trouble. */
function budgetLow(scale: number, span: Span): AlertRule {
  const by = `${GROUP}, span, unit`;
  const left = (matcher: string) => `min by (${by}) (plumbline_budget_left{${matcher}})`;
  const rate = `sum by (${GROUP}, unit) (rate(plumbline_spent_total[${span(HOUR)}]))`;
  const lasts = (seconds: string, matcher: string) =>
    `${left(matcher)} < on (${GROUP}, unit) group_left () ((${rate} > 0) * ${seconds})`;
  const soon = String(BUDGET_SECONDS * scale);
  const skipped = rises(
    'plumbline_canary_skipped_total{reason="budget"}',
    span(15 * MINUTE),
    `${GROUP}, reason`,
  );
  return ticket("PlumblineBudgetLow", {
    when: "the probe's budget lasts less than two hours, or runs were skipped because of it",
    expr: [
      lasts(soon, 'span="month"'),
      `or (${lasts(soon, 'span="day"')}`,
      `and ${lasts("(86400 - time() % 86400)", 'span="day"')})`,
      `or ${skipped} >= 1`,
    ].join("\n"),
    summary:
      "Budget runs out: {{ if $labels.unit }}{{ $value | humanize }} {{ $labels.unit }} left" +
      "{{ else }}runs skipped: {{ $value }}{{ end }}",
    description:
      "{{ if $labels.unit }}{{ $value | humanize }} {{ $labels.unit }} of the " +
      "{{ $labels.span }}'s budget are left. At the current rate they last less than two hours." +
      "{{ else }}Runs skipped in 15 min because the budget is used up: {{ $value }}.{{ end }} " +
      "Canaries stop when the budget is used up.",
    board: "api",
  });
}
