/** Alerts on what the probe spends, credits and budget: without them nothing is watched. */

import type { Unit } from "../../contract/limits/budget.ts";
import { UNITS } from "../../contract/limits/budget.ts";
import { counted, eventCount } from "./expressions.ts";
import { GROUP } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { ticket } from "./rule.ts";
import { DAY, HOUR, lookback, MINUTE, spanAt } from "./time.ts";

const SHORT = 30 * MINUTE;
const LONG = 6 * HOUR;

/** Ours: over a weekend. */
const CREDITS_SECONDS = 3 * DAY;
/** Ours, in hours: jobs of a big load hold back less than a third of what is left. */
const DRAINED_HOURS = 2;

export function creditsLow(scale: number): AlertRule {
  const span = spanAt(scale);
  const rate = `sum by (${GROUP}) (rate(plumbline_spent_credits_total[${span(LONG)}]))`;
  // Without any, or in debt, an account is paid afterwards, or gets 402.
  const left = `(min by (${GROUP}) (plumbline_credits_left) > 0)`;
  const before = `min by (${GROUP}) (plumbline_credits_left offset ${span(HOUR)})`;
  const refused = eventCount(
    'plumbline_canary_runs_total{outcome="credits"}',
    lookback(SHORT, scale),
    `${GROUP}, outcome`,
  );
  return ticket("PlumblineCreditsLow", {
    when:
      "credits last less than three days, or by what others of the account spend less than two " +
      "hours, or two submissions got 402",
    forSeconds: 5 * MINUTE,
    expr: [
      `${left} < ${CREDITS_SECONDS * scale} * ${rate}`,
      `or ${left} < ${DRAINED_HOURS} * (${before} - ${left})`,
      `or ${refused} >= 2`,
    ].join("\n"),
    summary:
      "Credits run out: {{ if $labels.outcome }}{{ $value }} submissions got 402{{ else }}" +
      "{{ $value | humanize }} left{{ end }}",
    description:
      "{{ if $labels.outcome }}{{ $value }} submissions of the last 30 min were refused with " +
      "402.{{ else }}Credits left: {{ $value | humanize }}. At the current cost of canaries they " +
      "last less than three days, or the balance fell within an hour by half of that or more: " +
      "look who else spends.{{ end }} Without credits nothing is watched. If the balance on " +
      "the status page is enough, the service refuses wrongly, and may refuse callers, too.",
    board: "api",
  });
}

/** Ours: time to act before canaries stop. */
const BUDGET_SECONDS = 2 * HOUR;

/** Seconds until the day or the month is over, in UTC, as the probe counts. */
const TODAY_LASTS = "(86400 - time() % 86400)";
const MONTH_LASTS = "(scalar(days_in_month() - day_of_month() + 1) * 86400 - time() % 86400)";

/**
 * A ceiling that lasts until the day or the month is over is no trouble. An hour's spending is that
 * of the canaries there are now: a reload may have made them fewer.
 */
export function budgetLow(scale: number): AlertRule {
  const span = spanAt(scale);
  const by = `${GROUP}, span, unit`;
  const planned = `sum by (${GROUP}) (1 / plumbline_canary_interval_seconds)`;
  const spent = (unit: Unit) =>
    `sum by (${GROUP}) (rate(plumbline_spent_${unit}_total[${span(HOUR)}]))`;
  const lasts = (seconds: string, matcher: string, unit: Unit) => {
    const left = `min by (${by}) (plumbline_budget_left{${matcher},unit="${unit}"})`;
    const pace = `clamp_max(${planned} / (${spent("jobs")} > 0), 1)`;
    return `${left} < on (${GROUP}) group_left () ((${spent(unit)} > 0) * ${pace} * ${seconds})`;
  };
  const soon = String(BUDGET_SECONDS * scale);
  const runsOut = (matcher: string, over: string) => (unit: Unit) =>
    [over, soon].map((each) => lasts(each, matcher, unit)).join("\nand ");
  const skipped = eventCount(
    'plumbline_canary_skipped_total{reason="budget"}',
    lookback(15 * MINUTE, scale),
    `${GROUP}, reason`,
  );
  return ticket("PlumblineBudgetLow", {
    when: "the probe's budget lasts less than two hours, or runs were skipped because of it",
    expr: [
      ...UNITS.map(runsOut('span="month"', MONTH_LASTS)),
      ...UNITS.map(runsOut('span="day"', TODAY_LASTS)),
      `${skipped} >= 1`,
    ].join("\nor "),
    summary:
      "The probe's budget {{ if $labels.unit }}in {{ $labels.unit }} runs out: " +
      `{{ $value | humanize }} left{{ else }}is used up: ${counted("run")} skipped in 15 min` +
      "{{ end }}",
    description:
      "{{ if $labels.unit }}Left of the {{ $labels.span }}'s budget in {{ $labels.unit }}: " +
      "{{ $value | humanize }}. At the current rate that lasts less than two hours.{{ else }}" +
      `${counted("run was", "runs were")} skipped in 15 min because the budget is used up.` +
      "{{ end }} Canaries stop when it is used up, until the day or the month is over.",
    board: "api",
  });
}
