/** Alerts on what users of the service feel, and on what the service charges and promises. */

import { OVERDUE } from "../../contract/requests/certificate.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import {
  BY_CANARY,
  counted,
  eventCount,
  FAILED_RUNS,
  PROBE_TIME,
  TELLING_RUNS,
  UNTELLING_RUNS,
  violations,
} from "./expressions.ts";
import type { RuleOptions } from "./options.ts";
import type { Pace } from "./paces.ts";
import { atAnyPace, lookbackOf } from "./paces.ts";
import { GROUP } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { page, ticket } from "./rule.ts";
import { budgetLow, creditsLow } from "./spending.ts";
import { HOUR, lookback, MINUTE, spanAt } from "./time.ts";

/** Promises that have an alert of their own. */
const TOLD_APART = "timeout[.]free|rate[.]retry-after-.*|webhook[.]delivered";

export function symptomAlerts({ scale }: RuleOptions): readonly AlertRule[] {
  return [
    canaryFailing(scale),
    canaryFlapping(scale),
    keyRejected(scale),
    canaryBlind(scale),
    jobsStuck(scale),
    timeoutCharged(scale),
    webhookMissing(scale),
    promiseBroken(scale),
    resultsOfOthers(scale),
    rateLimitedWithinPlan(scale),
    rateLimitedAlways(scale),
    retryAfterUntrue(scale),
    responsesFaulty(scale),
    submissionsLost(scale),
    certificateExpiring(scale),
    creditsLow(scale),
    budgetLow(scale),
  ];
}

const INTERVAL = `max by (${BY_CANARY}) (plumbline_canary_interval_seconds)`;
const LAST_FAILED = `and max by (${BY_CANARY}) (plumbline_canary_last_run_success) == 0`;

/** Two failures and three intervals without a success: a single failed run never does it. */
function canaryFailing(scale: number): AlertRule {
  return page("PlumblineCanaryFailing", {
    when: "two runs of a canary failed, and none succeeded for three of its intervals",
    expr: [atAnyPace((pace) => failingAt(FAILED_RUNS, pace, scale)), LAST_FAILED].join("\n"),
    summary:
      "Canary {{ $labels.canary }}: {{ $value }} failed runs, no success for three intervals",
    description:
      "{{ $value }} runs of the canary failed, and none has succeeded for more than three of " +
      "its intervals. The status page shows the outcomes and the job identifiers.",
    board: "overview",
  });
}

/** Late jobs have an alert of their own. */
const WRONG_RUNS = 'plumbline_canary_runs_total{outcome=~"wrong_state|wrong_result|http_error"}';
/** Neither good nor wrong: each may have turned the canary's state twice. */
const OTHER_RUNS =
  'plumbline_canary_runs_total{outcome!~"success|wrong_state|wrong_result|http_error"}';
/** Ours: six times what the default objective allows; of fewer runs the least number speaks. */
const FLAPPING_SHARE = 0.03;
/** Ours, of changes between good and bad: three times bad, with good before and between. */
const FLAPPING_CHANGES = 5;

/** A budget that all canaries share takes hours to tell of one in which a job in fifteen fails. */
function canaryFlapping(scale: number): AlertRule {
  const back = lookback(HOUR, scale);
  const success = `plumbline_canary_last_run_success[${back.range}]`;
  const changes = `max by (${BY_CANARY}) (changes(${success}))`;
  const byOthers = `2 * ${eventCount(OTHER_RUNS, back, BY_CANARY)}`;
  const runs = (selector: string) => `sum by (${BY_CANARY}) (increase(${selector}[${back.range}]))`;
  return ticket("PlumblineCanaryFlapping", {
    when:
      "three times within an hour, runs of a canary failed between good ones; a job that was " +
      "only late does not count",
    expr: [
      `${eventCount(WRONG_RUNS, back, BY_CANARY)} >= 3`,
      `and ${changes} >= ${FLAPPING_CHANGES}`,
      `unless ${changes} - ${byOthers} < ${FLAPPING_CHANGES}`,
      `and ${runs(FAILED_RUNS)} > ${FLAPPING_SHARE} * ${runs(TELLING_RUNS)}`,
    ].join("\n"),
    summary:
      "Canary {{ $labels.canary }}: {{ $value }} runs failed in an hour, others meanwhile " +
      "succeeded",
    description:
      "{{ $value }} runs of the canary failed within the last hour (expected: fewer than 3), and " +
      "others between them succeeded. Some callers are affected. The status page shows the " +
      "outcomes and the job identifiers.",
    board: "overview",
  });
}

const REJECTED_RUNS = 'plumbline_canary_runs_total{outcome="auth"}';

/** The key may have been revoked, or all keys are rejected: nothing is watched in either case. */
function keyRejected(scale: number): AlertRule {
  const rejected = atAnyPace((pace) => failingAt(REJECTED_RUNS, pace, scale));
  return page("PlumblineKeyRejected", {
    when:
      "two runs of a canary got 401 or 403 for the probe's key, and none succeeded for three of " +
      "its intervals",
    expr: `sum by (${GROUP}) (\n${rejected}\n${LAST_FAILED}\n)`,
    summary: "The service rejects the probe's key: {{ $value }} runs, no success for 3 intervals",
    description:
      "{{ $value }} runs got 401 or 403, and none of their canaries has succeeded for more than " +
      "three intervals. The key was revoked, or the service rejects valid keys. Nothing is " +
      "watched meanwhile.",
    board: "overview",
  });
}

/** Other canaries may tell enough of the service to keep PlumblineProbeBlind silent. */
function canaryBlind(scale: number): AlertRule {
  return ticket("PlumblineCanaryBlind", {
    when:
      "two runs of a canary ended as `ambiguous_submission` or `probe_error`, and none succeeded " +
      "for three of its intervals",
    expr: [atAnyPace((pace) => failingAt(UNTELLING_RUNS, pace, scale)), LAST_FAILED].join("\n"),
    summary:
      "Canary {{ $labels.canary }}: {{ $value }} runs without a verdict, no success for three " +
      "intervals",
    description:
      "{{ $value }} runs of the canary told nothing of the service, and none has succeeded for " +
      "more than three of its intervals. The status page says why. Nothing is watched by this " +
      "canary meanwhile.",
    board: "overview",
  });
}

/** A probe that was started without its journal knows of no success; the window does. */
function failingAt(runs: string, pace: Pace, scale: number): string {
  const back = lookbackOf(pace, scale);
  const success = `max_over_time(plumbline_canary_last_success_timestamp_seconds[${back.range}])`;
  const last = `max by (${BY_CANARY}) (${success})`;
  const sinceSuccess = `-(${last} - on (${GROUP}) group_left () ${PROBE_TIME})`;
  return [
    `${eventCount(runs, back, BY_CANARY)} >= 2`,
    `and ${INTERVAL} > ${pace.above * scale} <= ${pace.upTo * scale}`,
    `and ${sinceSuccess} > 3 * ${INTERVAL}`,
  ].join("\n");
}

function jobsStuck(scale: number): AlertRule {
  const late = 'plumbline_canary_runs_total{outcome="deadline"}';
  return ticket("PlumblineJobsStuck", {
    when: "two jobs of a canary missed their deadline within an hour",
    expr: `${eventCount(late, lookback(HOUR, scale), BY_CANARY)} >= 2`,
    summary: "Canary {{ $labels.canary }}: {{ $value }} jobs missed their deadline in an hour",
    description:
      "{{ $value }} jobs were accepted in the last hour and did not end by their deadline. The " +
      "state last seen tells a backlog (queued) from a slow worker (running).",
    board: "jobs",
  });
}

function timeoutCharged(scale: number): AlertRule {
  return ticket("PlumblineTimeoutCharged", {
    when: "a job that timed out was charged",
    expr: `${eventCount(violations('="timeout.free"'), lookback(HOUR, scale))} >= 1`,
    summary: `${counted("timed-out job was", "timed-out jobs were")} charged in the last hour`,
    description:
      `${counted("job")} of the last hour timed out and had a cost. A job that times out must ` +
      "cost 0 (promise timeout.free).",
    board: "jobs",
  });
}

function webhookMissing(scale: number): AlertRule {
  const missing = 'plumbline_webhook_deliveries_total{outcome="missing"}';
  return ticket("PlumblineWebhookMissing", {
    when: "two webhooks within an hour had not arrived after all retries were due",
    expr: `${eventCount(missing, lookback(HOUR, scale))} >= 2`,
    summary: "{{ $value }} webhooks did not arrive in the last hour",
    description:
      "{{ $value }} webhooks of the last hour had not arrived when the last retry was overdue " +
      "(expected: fewer than 2). If no job's webhook arrives, the receiver may be out of the " +
      "service's reach: see the status page.",
    board: "webhooks",
  });
}

function promiseBroken(scale: number): AlertRule {
  const seen = eventCount(
    violations(`!~"${TOLD_APART}"`),
    lookback(HOUR, scale),
    `${GROUP}, promise`,
  );
  return ticket("PlumblinePromiseBroken", {
    when: "a promise without an alert of its own is broken",
    expr: `${seen} >= 1`,
    summary: `Promise {{ $labels.promise }} is broken: ${counted("violation")} in the last hour`,
    description:
      `${counted("observation contradicts", "observations contradict")} ` +
      "{{ $labels.promise }} (expected: 0). The status page says what was seen, and of which " +
      "jobs. `plumbline explain {{ $labels.promise }}` says what it means.",
    board: "overview",
  });
}

/** Runs end well by it, and no error budget tells of it; callers act on what is not theirs. */
function resultsOfOthers(scale: number): AlertRule {
  const back = lookback(15 * MINUTE, scale);
  return page("PlumblinePromiseBroken", {
    when: "within 15 minutes, three jobs had a result that is not of their own input",
    expr: `${eventCount(violations('="job.own-result"'), back, `${GROUP}, promise`)} >= 3`,
    summary: "Results are of other jobs, old, or cut off: {{ $value }} jobs in 15 min",
    description:
      "The results of {{ $value }} jobs in the last 15 min were not those of their own input " +
      "(promise job.own-result; expected: 0). Callers get wrong data, perhaps that of others. " +
      "Roll back what changed last; usual causes: a cache or store that mixes up jobs, a limit " +
      "that cuts off texts.",
    board: "overview",
  });
}

/** The probe keeps to a share of its plan, and rests as long as it is told. */
function rateLimitedWithinPlan(scale: number): AlertRule {
  return ticket("PlumblineRateLimitedWithinPlan", {
    when: "three 429 responses within 15 minutes, at a small share of the plan's limits",
    expr: `${eventCount("plumbline_http_rate_limited_total", lookback(15 * MINUTE, scale))} >= 3`,
    summary: "The probe gets 429 within its plan's limits: {{ $value }} responses in 15 min",
    description:
      "{{ $value }} responses of the last 15 min had status 429, although the probe uses a small " +
      "share of its plan's limits. Either the limit is below the plan, or somebody else uses the " +
      "key.",
    board: "api",
  });
}

/** Ours: beyond a deploy's minute of 429, the pause that it asks for, and the next run. */
const SHUT_OUT_SECONDS = 10 * MINUTE;

/** Limits that are met now and then leave some runs their success. */
function rateLimitedAlways(scale: number): AlertRule {
  const back = lookback(SHUT_OUT_SECONDS, scale);
  return page("PlumblineRateLimitedWithinPlan", {
    when: "three 429 responses within 10 minutes in which, as in three intervals, no run succeeded",
    expr: [
      `(${PROBE_TIME} - (max by (${GROUP}) (plumbline_canary_last_success_timestamp_seconds) > 0))`,
      `  > ${back.seconds} > 3 * min by (${GROUP}) (${INTERVAL})`,
      `and ${eventCount("plumbline_http_rate_limited_total", back)} >= 3`,
    ].join("\n"),
    summary: "The probe gets 429, and no run succeeded for {{ $value | humanizeDuration }}",
    description:
      "No canary has succeeded for {{ $value | humanizeDuration }} (expected: under 10 min): " +
      "requests are answered 429, although the probe uses a small share of its plan's limits. " +
      "Send a request with another key: if it gets 429, too, all callers are shut out.",
    board: "api",
  });
}

function retryAfterUntrue(scale: number): AlertRule {
  const seen = eventCount(
    violations('=~"rate[.]retry-after-.*"'),
    lookback(HOUR, scale),
    `${GROUP}, promise`,
  );
  return ticket("PlumblineRetryAfterUntrue", {
    when: "a 429 without a valid `Retry-After`",
    expr: `${seen} >= 1`,
    summary: `${counted("response")} with status 429 had no valid Retry-After in the last hour`,
    description:
      "Promise {{ $labels.promise }} is broken: " +
      `${counted("response")} with status 429 in the last hour (expected: 0). Clients can't know ` +
      "how long to wait.",
    board: "api",
  });
}

/** Ours: nobody promises how soon an answer comes; one in ten is more than a cold start's. */
const SLOW_SHARE = 0.1;

function responsesFaulty(scale: number): AlertRule {
  const back = lookback(HOUR, scale);
  const seen = (matcher: string) =>
    eventCount(`plumbline_http_response_faults_total{fault${matcher}}`, back, `${GROUP}, fault`);
  const answers = `sum by (${GROUP}) (increase(plumbline_http_requests_total[${back.range}]))`;
  return ticket("PlumblineResponsesFaulty", {
    when:
      "three times within an hour, responses between good ones fail, reject a valid key, await " +
      "the run, or state several times the usual cost; or one response in ten takes 2 s or more",
    expr: [
      `${seen('!="slow"')} >= 3`,
      `or (\n${seen('="slow"')} >= 3`,
      `) > on (${GROUP}) group_left () ${SLOW_SHARE} * ${answers}`,
    ].join("\n"),
    summary: "Faulty responses ({{ $labels.fault }}): {{ $value }} times in 1 h",
    description:
      "{{ $value }} times in the last hour the probe met {{ $labels.fault }} " +
      '{{ if eq $labels.fault "slow" }}(expected: less than one response in ten takes 2 s or ' +
      "more). Callers wait, and may give up.{{ else }}among good responses (expected: fewer " +
      "than 3). No run failed by it, but callers are affected.{{ end }} The status page and the " +
      "log name the requests.",
    board: "api",
  });
}

/** Ours: whoever has to submit again more often than not can't use the service. */
const LOST_SHARE = 0.5;

/** The probe finds such jobs and calls the run a success; nobody else can. */
function submissionsLost(scale: number): AlertRule {
  const back = lookback(15 * MINUTE, scale);
  const lost = 'plumbline_http_response_faults_total{fault="lost-submissions"}';
  const sent = `plumbline_http_requests_total{method="POST",route="${ROUTES.submit}"}`;
  const all = `sum by (${GROUP}) (increase(${sent}[${back.range}]))`;
  return page("PlumblineResponsesFaulty", {
    when:
      "within 15 minutes, three submissions and more than half of all got no usable response, " +
      "though their jobs run",
    expr: [
      `(${eventCount(lost, back, `${GROUP}, fault`)} >= 3)`,
      `> on (${GROUP}) group_left () ${LOST_SHARE} * ${all}`,
    ].join("\n"),
    summary: "Most submissions get no usable response: {{ $value }} in 15 min",
    description:
      "{{ $value }} submissions of the last 15 min, more than half of all, got no response in " +
      "time or one without a job. Their jobs run and are charged, but callers never learn their " +
      "identifiers. The probe finds its own jobs, so no run failed.",
    board: "api",
  });
}

/** Instances behind a balancer may show several: each connection lasts 30 s, and meets one. */
function certificateExpiring(scale: number): AlertRule {
  const range = spanAt(scale)(10 * MINUTE);
  const least = (name: string) =>
    `min by (${GROUP}) (min_over_time(plumbline_certificate_${name}_seconds[${range}]))`;
  const overdue = `clamp_max(${OVERDUE.share} * ${least("lifetime")}, ${OVERDUE.secondsMax})`;
  return ticket("PlumblineCertificateExpiring", {
    when: "the service's certificate is valid for less than 14 days, and a fifth of its lifetime",
    expr: `${least("expiry_timestamp")} - time() < ${overdue}`,
    summary:
      "The service's certificate {{ if lt $value 0.0 }}has expired{{ else }}expires in " +
      "{{ $value | humanizeDuration }}{{ end }}",
    description:
      "{{ if lt $value 0.0 }}No new connection is possible.{{ else }}Left of its validity: " +
      "{{ $value | humanizeDuration }}. Then no new connection is possible.{{ end }} A " +
      "certificate that is renewed by itself is renewed when a third of its lifetime is left.",
    board: "api",
  });
}
