/** Alerts on the watch itself: whether the probe runs, sees, and can tell. */

import { counted, eventCount, PROBE_TIME, SEEN, TELLING_RUNS } from "./expressions.ts";
import type { RuleOptions } from "./options.ts";
import type { Pace } from "./paces.ts";
import { atAnyPace, lookbackOf } from "./paces.ts";
import { GROUP } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { page, ticket } from "./rule.ts";
import type { Span } from "./time.ts";
import { DAY, HOUR, lookback, MINUTE, spanAt } from "./time.ts";

export function metaAlerts({ job, scale }: RuleOptions): readonly AlertRule[] {
  const span = spanAt(scale);
  return [
    watchdog(),
    probeDown(job, span),
    probeAbsent(job, span),
    probeLongAbsent(job, span),
    probeStalled(scale),
    probeBlind(scale),
    probeOverloaded(span),
    probeRestarting(span),
    journalFailing(scale),
    receiverLost(span),
    configStale(),
  ];
}

/** A receiver that misses it knows that no other alert would have come either. */
function watchdog(): AlertRule {
  return {
    alert: "PlumblineWatchdog",
    when: "always; its absence is the alarm",
    severity: "none",
    forSeconds: 0,
    expr: "vector(1)",
    summary: "Watchdog: alerting works. This alert always fires",
    description:
      "It fires 24 hours a day. Route it to a dead man's switch, which raises the alarm when it " +
      "stops arriving.",
    board: "probe",
  };
}

/** On alerts that say that no probe of a place lives: what else fires from there is old. */
export const UNWATCHED = { place: "unwatched" } as const;

/** Ours: holds two scrapes that are up to two minutes apart. */
const MISSES_SECONDS = 200;

/**
 * The scrape's own `up` knows no location; it is told by what the probe said last. One scrape that
 * was missed is no death, however long it is until the next. Whether others of the place live
 * changes a label, and so the alert: it is kept until the other fires.
 */
function probeDown(job: string, span: Span): AlertRule {
  const up = `up{job="${job}"}`;
  const range = `${up}[${span(MISSES_SECONDS)}]`;
  const misses = `count_over_time(${range}) - sum_over_time(${range})`;
  const down = `(${up} == 0 and ${misses} >= 2)`;
  const on = "job, environment, instance";
  const before = `last_over_time(${SEEN}{job="${job}"}[${span(6 * HOUR)}])`;
  const placed = `max by (${GROUP}, instance) (${before}) and on (${on}) ${down}`;
  const living = `(${before} and on (${on}) (${up} unless ${down}))`;
  return page("PlumblineProbeDown", {
    when: "two scrapes of a probe have failed, and none has succeeded for half a minute",
    forSeconds: MINUTE / 2,
    keepSeconds: MINUTE,
    expr: [
      `label_replace((${placed})\n  unless on (${GROUP}) ${living},`,
      `  "place", "${UNWATCHED.place}", "", "")`,
      `or on (${GROUP}, instance) (${placed})`,
      `or ${down} unless on (${on}) ${before}`,
    ].join("\n"),
    summary: "Probe {{ $labels.instance }} is down: at least 2 scrapes failed",
    description:
      "At least 2 scrapes failed: the process ended, hangs or can't be reached. " +
      "{{ if $labels.place }}Nothing is watched from this location.{{ else }}Other " +
      "probes of this location, if there are any, still watch.{{ end }}",
    board: "probe",
  });
}

/** Ours: a night and a weekend. What was removed on purpose is silenced, or waited out. */
const MISSED_SECONDS = { page: 6 * HOUR, ticket: 3 * DAY };

/**
 * No target at all, or a place whose probe is no longer there and not known to be down. A target
 * that is down, and of whose place nothing is known, may be of any. Neither comes back by itself:
 * a page that resolved after an hour would say that somebody watches again.
 */
function probeAbsent(job: string, span: Span): AlertRule {
  const { page: seconds } = MISSED_SECONDS;
  return page("PlumblineProbeAbsent", {
    when: "for a minute, the job has no target, or a location of the last six hours is missing",
    labels: UNWATCHED,
    forSeconds: MINUTE,
    expr: [`absent(up{job="${job}"})`, `or ${missing(job, span, seconds)}`].join("\n"),
    summary: "No probe to scrape: 0 targets, expected 1 or more",
    description:
      "Prometheus has had no target of this job or location for more than 1 min. The probe is " +
      "not deployed, not discovered, or was removed within the last 6 h.",
    board: "probe",
  });
}

function probeLongAbsent(job: string, span: Span): AlertRule {
  const { page: paged, ticket: seconds } = MISSED_SECONDS;
  const group = `group by (${GROUP}) (${seenIn(job, span, paged)})`;
  return ticket("PlumblineProbeAbsent", {
    when: "a location has been missing for six hours; until three days after it was last seen",
    labels: UNWATCHED,
    expr: [missing(job, span, seconds), `unless on (${GROUP}) ${group}`].join("\n"),
    summary: "Still no probe to scrape: 0 targets for six hours, expected 1 or more",
    description:
      "Prometheus has had no target of this location for more than 6 h. Nothing is watched from " +
      "there. 3 days after its probe was last seen, this alert ends all the same.",
    board: "probe",
  });
}

function seenIn(job: string, span: Span, seconds: number): string {
  return `last_over_time(${SEEN}{job="${job}"}[${span(seconds)}])`;
}

/**
 * Places that were seen within so many seconds and are not now. Of a target that has been down for
 * days the place is known for as long as any is missed: it hides no other.
 */
function missing(job: string, span: Span, seconds: number): string {
  const there = `group by (${GROUP}) (${SEEN}{job="${job}"})`;
  const before = `group by (${GROUP}) (${seenIn(job, span, seconds)})`;
  const [known, down] = [seenIn(job, span, MISSED_SECONDS.ticket), `up{job="${job}"} == 0`];
  const on = "job, environment, instance";
  return [
    `(${before} unless ${there})`,
    `  unless on (${GROUP}) (${known} and on (${on}) (${down}))`,
    `  unless on (job, environment) (${down} unless on (${on}) ${known})`,
  ].join("\n");
}

/** Ours: the schedule is kept to milliseconds, so that minutes are a standstill. */
const OVERDUE_SECONDS = 2 * MINUTE;

/** One of a canary that a reload took away has no interval, and counts no more. */
function probeStalled(scale: number): AlertRule {
  const due = "plumbline_canary_next_due_timestamp_seconds > 0";
  const kept = "and on (job, instance, location, canary) plumbline_canary_interval_seconds";
  const first = `max by (${GROUP}) (min by (${GROUP}, instance) (${due} ${kept}))`;
  return page("PlumblineProbeStalled", {
    when: "a canary run has been due for two minutes, and has not started",
    expr: `${PROBE_TIME} - ${first} > ${OVERDUE_SECONDS * scale}`,
    summary: "The probe starts no runs: overdue by {{ $value | humanizeDuration }}",
    description:
      "The probe answers scrapes, but a run is overdue by " +
      `{{ $value | humanizeDuration }} (expected: under ${OVERDUE_SECONDS} s).`,
    board: "probe",
  });
}

/** Ours: the shortest time that is called blindness. */
const BLIND_SECONDS = 30 * MINUTE;

/** A probe that started lately has a right to be silent; it has had three turns after a while. */
function probeBlind(scale: number): AlertRule {
  const start = `process_start_time_seconds and on (job, instance, location) ${SEEN}`;
  const lasts = `time() - max by (${GROUP}) (${start})`;
  return page("PlumblineProbeBlind", {
    when:
      "no canary has produced a verdict for half an hour, or there is none; for 6 h if all " +
      "intervals are longer than 10 min, for 3 d if they are longer than 2 h",
    expr: [
      atAnyPace((pace) => blindAt(pace, scale)),
      `and ${lasts} > ${BLIND_SECONDS * scale} > 3 * ${OFTEN}`,
      `or ${withoutCanaries(scale)} and ${lasts} > ${BLIND_SECONDS * scale}`,
    ].join("\n"),
    summary: "The probe is up, but no canary has produced a verdict for half an hour or longer",
    description:
      "No canary has produced a verdict for 30 min, nor for three intervals of the most frequent " +
      "one. Check the probe's key, credits, budget and journal, and submissions without a " +
      "response. An outage would not be noticed.",
    board: "probe",
  });
}

const OFTEN = `min by (${GROUP}) (plumbline_canary_interval_seconds)`;

/** The target file names none, or the worker of none. */
function withoutCanaries(scale: number): string {
  const range = spanAt(scale)(BLIND_SECONDS);
  return [
    `group by (${GROUP}) (${SEEN})`,
    `unless on (${GROUP}) last_over_time(plumbline_canary_interval_seconds[${range}])`,
    `and ${wasSeen(BLIND_SECONDS, scale)}`,
  ].join("\n");
}

/** Ours: five minutes of the shortest window, for which a sample is current. */
const BEGINNING_SHARE = 1 / 6;

/**
 * Whether the probe was scraped before the window, and as it began: a Prometheus that has only
 * begun to look, or was away itself, has seen no counter rise yet.
 */
function wasSeen(window: number, scale: number): string {
  const [range, ago] = [BEGINNING_SHARE, 1 - BEGINNING_SHARE].map((share) =>
    spanAt(scale)(share * window),
  );
  const first = `last_over_time(${SEEN}[${range}] offset ${ago})`;
  const before = `${SEEN} offset ${spanAt(scale)(window)}`;
  return `group by (${GROUP}) (${before}) and group by (${GROUP}) (${first})`;
}

function blindAt(pace: Pace, scale: number): string {
  return [
    `${eventCount(TELLING_RUNS, lookbackOf(pace, scale))} == 0`,
    `and ${OFTEN} <= ${pace.upTo * scale}`,
    `and ${wasSeen(pace.window, scale)}`,
  ].join("\n");
}

/** Ours: a loop that is late by this much spoils what is measured in milliseconds. */
const LOOP_LAG_SECONDS = 0.25;
/** Ours: starts are late by milliseconds on a machine that has time for them. */
const START_LAG_SECONDS = 1;

function probeOverloaded(span: Span): AlertRule {
  const loop = `max by (${GROUP}) (nodejs_eventloop_lag_p99_seconds)`;
  const rate = `rate(plumbline_schedule_lag_seconds_bucket[${span(15 * MINUTE)}])`;
  const start = `histogram_quantile(0.9, sum by (${GROUP}, le) (${rate}))`;
  return ticket("PlumblineProbeOverloaded", {
    when: "for 10 minutes, the event loop is 250 ms late, or one start in ten is a second late",
    forSeconds: 10 * MINUTE,
    expr: `${loop} > ${LOOP_LAG_SECONDS}\nor ${start} > ${START_LAG_SECONDS}`,
    summary: "The probe's machine is overloaded: {{ $value | humanizeDuration }} late",
    description:
      "For 10 min the probe has been late by {{ $value | humanizeDuration }} (expected: event " +
      `loop under ${LOOP_LAG_SECONDS} s, starts under ${START_LAG_SECONDS} s). Its measurements ` +
      "are off by as much.",
    board: "probe",
  });
}

function probeRestarting(span: Span): AlertRule {
  const starts = `changes(process_start_time_seconds[${span(HOUR)}])`;
  const ours = `and on (job, instance, location) ${SEEN}`;
  return ticket("PlumblineProbeRestarting", {
    when: "three restarts within an hour",
    expr: `sum by (${GROUP}) (${starts} ${ours}) >= 3`,
    summary: "The probe restarted at least {{ $value }} times in the last hour",
    description:
      "The probe restarted at least {{ $value }} times in the last hour (expected: fewer than " +
      "3). It follows jobs in flight again, but does not see what happens in the gaps.",
    board: "probe",
  });
}

function journalFailing(scale: number): AlertRule {
  const failed = eventCount("plumbline_journal_failures_total", lookback(15 * MINUTE, scale));
  return ticket("PlumblineJournalFailing", {
    when: "the journal can't be written, or failed within the last 15 minutes",
    expr: `${failed} >= 1\nor min by (${GROUP}) (plumbline_journal_writable) == 0`,
    summary:
      `The probe's journal {{ if $value }}fails: ${counted("failure")} in 15 min` +
      "{{ else }}can't be written{{ end }}",
    description:
      `{{ if $value }}The journal had ${counted("failure")} in 15 min; their label \`what\` says ` +
      "of which kind.{{ else }}The journal can't be written.{{ end }} The probe submits no jobs " +
      "while it can't be written: they could be lost and charged. Other failures, such as old " +
      "records that were not removed (`prune`), stop nothing.",
    board: "probe",
  });
}

/** Ours: nobody watches webhooks until it is over, so that it outlasts a weekend. */
const REACHED_SECONDS = 3 * DAY;

/** 0 from the start is a service that could never reach the receiver. */
function receiverLost(span: Span): AlertRule {
  const metric = "plumbline_webhook_receiver_listening";
  const before = `max by (${GROUP}) (max_over_time(${metric}[${span(REACHED_SECONDS)}])) == 1`;
  return ticket("PlumblineReceiverLost", {
    when: "the webhook receiver could be reached within three days, but not for two minutes",
    forSeconds: 2 * MINUTE,
    expr: `max by (${GROUP}) (${metric}) == 0\nand ${before}`,
    summary: "The probe can no longer receive webhooks",
    description:
      "The webhook receiver listened within the last 3 d and does not now, or the probe's own " +
      "requests to `webhook.publicUrl` fail; the status page says which. Until that is over, no " +
      "webhook counts as missing.",
    board: "webhooks",
  });
}

function configStale(): AlertRule {
  return ticket("PlumblineConfigStale", {
    when: "the probe rejected a changed target file, and still does after five minutes",
    forSeconds: 5 * MINUTE,
    expr: `min by (${GROUP}) (plumbline_config_last_reload_success) == 0`,
    summary: "The probe rejected its changed target file",
    description:
      "The last reload failed, at least 5 min ago. The file on disk is invalid, or changes what " +
      "needs a restart. The probe keeps the previous one.",
    board: "probe",
  });
}
