/** Rule tests of the alerts on the watch itself. */

import type { Course, Courses } from "./healthy.ts";
import { at, CANARY, during, HEALTHY, histogram, PROBE, run, seldom, times } from "./healthy.ts";
import type { RuleCase } from "./rule-case.ts";

const UP = `up{${PROBE}}`;

/** Nothing is scraped between two minutes; `up` is 0 meanwhile, or not there either. */
function unscraped(from: number, to: number, up: 0 | null): Courses {
  const gone = (minute: number) => minute >= from && minute < to;
  const courses = Object.entries(HEALTHY).map(([name, course]) => [
    name,
    (minute: number) => (gone(minute) ? (name === UP ? up : "stale") : course(minute)),
  ]);
  return Object.fromEntries(courses);
}

const nextDue = at("plumbline_canary_next_due_timestamp_seconds", CANARY);
const start = at("process_start_time_seconds");
const lag = at("nodejs_eventloop_lag_p99_seconds");
const now = at("plumbline_clock_timestamp_seconds");

/** Runs end until a minute, and again from another. */
const runsPause = (from: number, to: number): Courses => ({
  [run("success")]: (minute) => times(minute, 0) - times(minute, from, to),
});

/** Gauges of single canaries. */
const OF_CANARY = /^plumbline_canary_\w+_(seconds|success)\{/;

/** The target file names no canary between two minutes. */
function withoutCanaries(from: number, to: number): Courses {
  const gauges = Object.entries(HEALTHY).filter(([name]) => OF_CANARY.test(name));
  const gone = gauges.map(([name, course]): [string, Course] => [
    name,
    (minute) => (minute >= from && minute < to ? "stale" : course(minute)),
  ]);
  return { ...Object.fromEntries(gone), ...runsPause(from, to) };
}

/** Prometheus itself is away between two minutes: no series has a sample, nor an end. */
function unseen(from: number, to: number, series: Courses = {}): Courses {
  const courses = Object.entries({ ...HEALTHY, ...series }).map(([name, course]) => [
    name,
    (minute: number) => (minute >= from && minute < to ? null : course(minute)),
  ]);
  return Object.fromEntries(courses);
}

const verdicts = (runs: number) => Array<string>(runs).fill("success");
const refusals = (runs: number) => Array<string>(runs).fill("rate_limited");

export const META_CASES: readonly RuleCase[] = [
  {
    alert: "PlumblineProbeDown",
    severity: "page",
    fires: {
      title: "a dead probe",
      series: unscraped(10, 15, 0),
      minutes: { silent: 10.5, firing: 11, silentAgain: 16 },
    },
    nearMiss: {
      title: "a scrape that failed for half a minute",
      series: unscraped(10, 10.5, 0),
      until: 20,
    },
  },
  {
    alert: "PlumblineProbeDown",
    severity: "page",
    everySeconds: 15,
    fires: {
      title: "a probe that hangs, paged within two minutes of its last scrape at minute 10",
      // It takes ten seconds to see that a scrape of each 15 s has no answer.
      series: unscraped(10.25 + 1 / 6, 15, 0),
      minutes: { silent: 10.75, firing: 11.25, silentAgain: 16 },
    },
    nearMiss: {
      title: "one missed scrape of those once a minute",
      series: {
        ...unscraped(10, 11, 0),
        [UP]: (minute) => (Number.isInteger(minute) ? Number(minute !== 10) : null),
      },
      until: 20,
    },
  },
  {
    alert: "PlumblineProbeAbsent",
    severity: "page",
    fires: {
      title: "a target that is no longer there",
      series: unscraped(10, 15, null),
      minutes: { silent: 10.5, firing: 11.5, silentAgain: 15.5 },
    },
    nearMiss: {
      title: "a target that was away for half a minute",
      series: unscraped(10, 10.5, null),
      until: 20,
    },
  },
  {
    alert: "PlumblineProbeAbsent",
    severity: "page",
    fires: {
      title: "one place of two is no longer watched",
      series: {
        [at("plumbline_build_info", 'version="1",node_version="24"', "away")]: (minute) =>
          minute < 10 || minute > 15 ? 1 : "stale",
      },
      minutes: { silent: 10.5, firing: 11.5, silentAgain: 16 },
    },
    nearMiss: {
      title: "a place that has long been given up",
      series: {
        [at("plumbline_build_info", 'version="0",node_version="24"', "away")]: () => null,
      },
      until: 20,
    },
  },
  {
    alert: "PlumblineProbeAbsent",
    severity: "page",
    fires: {
      title: "a place is no longer watched, while the probe of another is down",
      series: {
        ...unscraped(5, 20, 0),
        [at("plumbline_build_info", "", "away").replace("probe:", "other:")]: (minute) =>
          minute < 10 || minute > 15 ? 1 : "stale",
      },
      minutes: { silent: 5, firing: 11.5, silentAgain: 22 },
      also: ["PlumblineProbeDown page"],
    },
    nearMiss: {
      title: "a probe that is down, of whose place nothing is known, as it was moved",
      series: {
        ...unscraped(5, 20, null),
        [`up{${PROBE.replace("probe:", "moved:")}}`]: () => 0,
      },
      until: 30,
    },
  },
  {
    alert: "PlumblineProbeAbsent",
    severity: "page",
    everySeconds: 300,
    fires: {
      title: "a place is no longer watched, while the probe of another has been down for hours",
      series: {
        ...unscraped(5, 430, 0),
        [at("plumbline_build_info", "", "away").replace("probe:", "other:")]: (minute) =>
          minute < 400 || minute > 430 ? 1 : "stale",
      },
      minutes: { silent: 0, firing: 420, silentAgain: 445 },
    },
    nearMiss: {
      title: "that probe alone has been down for as long",
      series: {
        ...unscraped(5, 430, 0),
        [at("plumbline_build_info", "", "away").replace("probe:", "other:")]: () => 1,
      },
      until: 445,
    },
  },
  {
    alert: "PlumblineProbeAbsent",
    severity: "ticket",
    everySeconds: 300,
    fires: {
      title: "a place of two that has not been watched for more than six hours",
      series: {
        [at("plumbline_build_info", "", "away").replace("probe:", "other:")]: (minute) =>
          minute < 10 || minute > 400 ? 1 : "stale",
      },
      minutes: { silent: 5, firing: 385, silentAgain: 415 },
    },
    nearMiss: {
      title: "a place whose probe has been down for more than six hours",
      series: {
        [at("plumbline_build_info", "", "away").replace("probe:", "other:")]: (minute) =>
          minute < 10 ? 1 : "stale",
        [UP.replace("probe:", "other:")]: (minute) => (minute < 10 ? 1 : 0),
      },
      until: 415,
    },
  },
  {
    alert: "PlumblineProbeStalled",
    severity: "page",
    fires: {
      title: "a schedule that stands still, with a canary that is due in hours",
      series: {
        [nextDue]: (minute) => (minute >= 10 && minute < 15 ? 600 : (Math.floor(minute) + 1) * 60),
        [nextDue.replace("main", "daily")]: () => 80_000,
        [at("plumbline_canary_interval_seconds", 'canary="daily"')]: () => 86_400,
      },
      minutes: { silent: 11.5, firing: 12.5, silentAgain: 15.5 },
    },
    nearMiss: {
      title: "a clock that is ten minutes behind, and a Prometheus that was away for four",
      series: unseen(20, 24, {
        [now]: (minute) => (minute - 10) * 60,
        [nextDue]: (minute) => (Math.floor(minute) - 9) * 60,
      }),
      until: 30,
    },
  },
  {
    alert: "PlumblineProbeStalled",
    severity: "page",
    fires: {
      title: "a schedule that stands still, of a probe that does not state its time",
      series: {
        [now]: () => null,
        [nextDue]: (minute) => (minute >= 10 && minute < 15 ? 600 : (Math.floor(minute) + 1) * 60),
      },
      minutes: { silent: 11.5, firing: 12.5, silentAgain: 15.5 },
    },
    nearMiss: {
      title: "a schedule that is a minute and a half late, and a canary that a reload took away",
      series: {
        [nextDue]: (minute) => Math.floor(minute) * 60 - 30,
        [at("plumbline_canary_next_due_timestamp_seconds", 'canary="gone"')]: () => 60,
      },
      until: 30,
    },
  },
  {
    alert: "PlumblineProbeBlind",
    severity: "page",
    everySeconds: 60,
    fires: {
      title: "half an hour of runs that end in refusals of the probe's key",
      series: {
        ...runsPause(10, 50),
        [run("auth")]: (minute) => times(minute, 10, 50),
      },
      minutes: { silent: 38, firing: 41, silentAgain: 53 },
    },
    nearMiss: {
      title: "a probe that was started anew less than half an hour ago",
      series: { ...runsPause(20, 65), [start]: (minute) => (minute < 40 ? -86_400 : 2_400) },
      until: 65,
    },
  },
  {
    alert: "PlumblineProbeBlind",
    severity: "page",
    everySeconds: 60,
    fires: {
      title: "a target file without canaries was reloaded",
      series: withoutCanaries(10, 50),
      minutes: { silent: 38, firing: 41, silentAgain: 53 },
    },
    nearMiss: {
      title: "no canaries for 20 minutes, and a Prometheus that was away for half an hour",
      series: unseen(70, 102.5, withoutCanaries(10, 30)),
      until: 110,
    },
  },
  {
    alert: "PlumblineProbeBlind",
    severity: "page",
    everySeconds: 900,
    fires: {
      title: "canaries a quarter of an hour apart, refused for six hours",
      // The last verdict comes at minute 60, the next one at 480.
      series: seldom(15, [...verdicts(4), ...refusals(27), ...verdicts(1)]),
      minutes: { silent: 390, firing: 405, silentAgain: 480 },
    },
    nearMiss: {
      title: "a verdict once in five hours",
      series: seldom(15, [...verdicts(4), ...refusals(19), ...verdicts(1), ...refusals(19)]),
      until: 645,
    },
  },
  {
    alert: "PlumblineProbeBlind",
    severity: "page",
    everySeconds: 900,
    fires: {
      title: "canaries three hours apart, refused for three days",
      // The last verdict comes at minute 180, the next one at 4680.
      series: seldom(180, [...verdicts(1), ...refusals(24), ...verdicts(1)]),
      minutes: { silent: 4_470, firing: 4_485, silentAgain: 4_680 },
    },
    nearMiss: {
      title: "a probe that was started anew, and has not had three turns yet",
      series: {
        ...seldom(180, [...verdicts(1), ...refusals(26)]),
        [start]: (minute) => (minute < 4_200 ? -86_400 : 4_200 * 60),
      },
      until: 4_740,
    },
  },
  {
    alert: "PlumblineProbeOverloaded",
    severity: "ticket",
    fires: {
      title: "an event loop that is late for a quarter of an hour",
      series: { [lag]: during(10, 25, 0.4, 0.02) },
      minutes: { silent: 19, firing: 21, silentAgain: 26 },
    },
    nearMiss: {
      title: "an event loop that is late for five minutes",
      series: { [lag]: during(10, 15, 0.4, 0.02) },
      until: 30,
    },
  },
  {
    alert: "PlumblineProbeOverloaded",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "runs that start seconds late for half an hour",
      series: {
        ...lateStarts(10, 40),
      },
      minutes: { silent: 12, firing: 35, silentAgain: 60 },
    },
    nearMiss: {
      title: "one late start in twenty",
      series: lateStarts(10, 11),
      until: 40,
    },
  },
  {
    alert: "PlumblineProbeRestarting",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "three restarts within an hour",
      series: {
        [start]: (minute) => [10, 20, 30].filter((each) => minute >= each).length - 90_000,
      },
      minutes: { silent: 29, firing: 31, silentAgain: 71 },
    },
    nearMiss: {
      title: "two restarts within an hour",
      series: { [start]: (minute) => [10, 20].filter((each) => minute >= each).length - 90_000 },
      until: 60,
    },
  },
];

/** Starts between two minutes are late by more than any bound but the last. */
function lateStarts(from: number, to: number): Courses {
  const name = "plumbline_schedule_lag_seconds";
  return {
    ...histogram(name, "", "0.01"),
    [at(`${name}_bucket`, 'le="5.0"')]: (minute) => times(minute, 0),
    [at(`${name}_bucket`, 'le="0.01"')]: (minute) => times(minute, 0) - times(minute, from, to),
  };
}
