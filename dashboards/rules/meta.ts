/** Alerts on the watch itself: whether the probe runs, sees, and can tell. */

import { rises, TELLING_RUNS } from "./expressions.ts";
import type { RuleOptions } from "./options.ts";
import type { Pace } from "./paces.ts";
import { PACES, rangeOf } from "./paces.ts";
import { GROUP } from "./recording.ts";
import type { AlertRule } from "./rule.ts";
import { page, ticket } from "./rule.ts";
import type { Span } from "./time.ts";
import { HOUR, MINUTE, spanAt } from "./time.ts";

export function metaAlerts({ job, scale }: RuleOptions): readonly AlertRule[] {
  const span = spanAt(scale);
  return [
    watchdog(),
    probeDown(job, span),
    probeAbsent(job, span),
    probeStalled(scale),
    probeBlind(scale),
    probeOverloaded(span),
    probeRestarting(span),
    journalFailing(span),
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
    summary: "Alerts can be raised; this one never ends",
    description:
      "Its value is {{ $value }}, always. Route it to a dead man's switch, which tells when it " +
      "stops coming.",
    board: "probe",
  };
}

const SEEN = "plumbline_build_info";

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
    when: "a second scrape of a probe has failed, and for half a minute none has succeeded",
    forSeconds: MINUTE / 2,
    keepSeconds: MINUTE,
    expr: [
      `label_replace((${placed})\n  unless on (${GROUP}) ${living},`,
      `  "place", "${UNWATCHED.place}", "", "")`,
      `or on (${GROUP}, instance) (${placed})`,
      `or ${down} unless on (${on}) ${before}`,
    ].join("\n"),
    summary: "The probe {{ $labels.instance }} can't be scraped",
    description:
      "Scrape after scrape has failed (up is 0, expected 1): the process is gone, hangs or can't " +
      "be reached. {{ if $labels.place }}Nothing is watched from there.{{ else }}Other probes of " +
      "its place, if there are any, still watch.{{ end }}",
    board: "probe",
  });
}

/** No target at all, or a place whose probe is no longer there and not known to be down. */
function probeAbsent(job: string, span: Span): AlertRule {
  const there = `group by (${GROUP}) (${SEEN}{job="${job}"})`;
  const before = `group by (${GROUP}) (last_over_time(${SEEN}{job="${job}"}[${span(HOUR)}]))`;
  return page("PlumblineProbeAbsent", {
    when: "no target of the job, or a place of the last hour is gone, for a minute",
    labels: UNWATCHED,
    forSeconds: MINUTE,
    expr: [
      `absent(up{job="${job}"})`,
      `or (${before} unless ${there}) unless on (job, environment) (up{job="${job}"} == 0)`,
    ].join("\n"),
    summary: "There is no probe to scrape{{ with $labels.location }} at {{ . }}{{ end }}",
    description:
      "Prometheus has had no target of this job or place for more than 1 min (found 0, expected " +
      "1 or more): it is not deployed, not discovered, or was taken away within the last hour.",
    board: "probe",
  });
}

/** Ours: the schedule is kept to milliseconds, so that minutes are a standstill. */
const OVERDUE_SECONDS = 2 * MINUTE;

/** The latest due time of all canaries: one that a reload took away keeps its last for ever. */
function probeStalled(scale: number): AlertRule {
  const due = `max by (${GROUP}) (plumbline_canary_next_due_timestamp_seconds > 0)`;
  return page("PlumblineProbeStalled", {
    when: "no canary has started for two minutes after it was due",
    expr: `time() - ${due} > ${OVERDUE_SECONDS * scale}`,
    summary: "The probe at {{ $labels.location }} answers, and starts no runs",
    description:
      "The next run has been due for {{ $value | humanizeDuration }} (expected: under " +
      `${OVERDUE_SECONDS} s), and none was started.`,
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
      "no run came to a verdict on the service for half an hour; for 6 h where all canaries are " +
      "more than 10 min apart, for 3 d where they are more than 2 h apart",
    expr: [
      "(",
      PACES.map((pace) => `  (${blindAt(pace, scale)})`).join("\n  or\n"),
      ")",
      `and ${lasts} > ${BLIND_SECONDS * scale} > 3 * ${OFTEN}`,
    ].join("\n"),
    summary: "The probe at {{ $labels.location }} runs, and can't tell how the service fares",
    description:
      "{{ $value }} runs came to a verdict on the service for half an hour and three intervals " +
      "of the most frequent canary. The probe's key, credits, budget or journal stand in its " +
      "way, or nobody can tell what its submissions became; an outage would not be seen.",
    board: "probe",
  });
}

const OFTEN = `min by (${GROUP}) (plumbline_canary_interval_seconds)`;

/** A Prometheus that has only begun to look has seen no counter rise yet. */
function blindAt(pace: Pace, scale: number): string {
  return [
    `${rises(TELLING_RUNS, rangeOf(pace, scale))} == 0`,
    `and ${OFTEN} <= ${pace.upTo * scale}`,
    `and group by (${GROUP}) (${SEEN} offset ${spanAt(scale)(pace.window)})`,
  ].join("\n    ");
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
    when: "event loop late by 250 ms, or one start in ten by a second, for 10 minutes",
    forSeconds: 10 * MINUTE,
    expr: `${loop} > ${LOOP_LAG_SECONDS}\nor ${start} > ${START_LAG_SECONDS}`,
    summary: "The machine of the probe at {{ $labels.location }} is too busy to measure",
    description:
      "For 10 min the probe has been late by {{ $value | humanizeDuration }} (expected: event " +
      `loop under ${LOOP_LAG_SECONDS} s, starts under ${START_LAG_SECONDS} s). Its times are ` +
      "spoiled by that much.",
    board: "probe",
  });
}

function probeRestarting(span: Span): AlertRule {
  const starts = `changes(process_start_time_seconds[${span(HOUR)}])`;
  const ours = `and on (job, instance, location) ${SEEN}`;
  return ticket("PlumblineProbeRestarting", {
    when: "three restarts within an hour",
    expr: `sum by (${GROUP}) (${starts} ${ours}) >= 3`,
    summary: "The probe at {{ $labels.location }} keeps restarting",
    description:
      "It was started anew {{ $value }} times in the last hour (expected: fewer than 3). Jobs in " +
      "flight are followed again, but every gap hides something.",
    board: "probe",
  });
}

function journalFailing(span: Span): AlertRule {
  const failed = rises("plumbline_journal_failures_total", span(15 * MINUTE));
  return ticket("PlumblineJournalFailing", {
    when: "the journal can't be written, or failed within 15 minutes",
    expr: `${failed} >= 1\nor min by (${GROUP}) (plumbline_journal_writable) == 0`,
    summary: "The journal of the probe at {{ $labels.location }} fails",
    description:
      "{{ if $value }}{{ $value }} failures in 15 min.{{ else }}It can't be written " +
      "(journal_writable is 0).{{ end }} Without a journal no job is submitted, as it could be " +
      "lost and charged.",
    board: "probe",
  });
}

/** 0 from the start is a probe without a receiver, which is a choice. */
function receiverLost(span: Span): AlertRule {
  const metric = "plumbline_webhook_receiver_listening";
  const before = `max by (${GROUP}) (max_over_time(${metric}[${span(6 * HOUR)}])) == 1`;
  return ticket("PlumblineReceiverLost", {
    when: "the receiver listened within six hours, and has not for two minutes",
    forSeconds: 2 * MINUTE,
    expr: `max by (${GROUP}) (${metric}) == 0\nand ${before}`,
    summary: "Webhooks can no longer reach the probe at {{ $labels.location }}",
    description:
      "The receiver listened within the last 6 h and does not now (listening is {{ $value }}). " +
      "No webhook counts as missing meanwhile.",
    board: "webhooks",
  });
}

function configStale(): AlertRule {
  return ticket("PlumblineConfigStale", {
    when: "the target file was refused five minutes ago and has not been put right",
    forSeconds: 5 * MINUTE,
    expr: `min by (${GROUP}) (plumbline_config_last_reload_success) == 0`,
    summary: "The probe at {{ $labels.location }} refused its target file",
    description:
      "The last reload failed (last_reload_success is {{ $value }}): the file on disk is wrong " +
      "or changes what takes a restart, and the older one stays in use.",
    board: "probe",
  });
}
