/** Rule tests of the alerts on canaries that fail, say nothing, or are refused. */

import type { Course, Courses } from "./healthy.ts";
import { at, CANARY, events, HEALTHY, risesAt, run, seldom, times } from "./healthy.ts";
import type { RuleCase } from "./rule-case.ts";

/** A canary that fails between two minutes, once a minute. */
function failing(outcome: string, from: number, to: number): Courses {
  const isBad = (minute: number) => Math.floor(minute) > from && Math.floor(minute) <= to;
  return {
    [run("success")]: (minute) => times(minute, 0) - times(minute, from, to),
    [run(outcome)]: (minute) => times(minute, from, to),
    [at("plumbline_canary_last_run_success", CANARY)]: (minute) => (isBad(minute) ? 0 : 1),
    [at("plumbline_canary_last_success_timestamp_seconds", CANARY)]: (minute) =>
      (isBad(minute) ? from : Math.floor(minute)) * 60,
    [events("canary-success", "good")]: (minute) => times(minute, 0) - times(minute, from, to),
    [events("canary-success", "bad")]: (minute) => times(minute, from, to),
  };
}

/** A canary a minute that fails at these minutes, with good runs between. */
function failingAt(outcome: string, minutes: readonly number[]): Courses {
  const failed = risesAt(...minutes);
  return {
    [run("success")]: (minute) => times(minute, 0) - failed(minute),
    [run(outcome)]: failed,
    [lastRun]: (minute) => (minutes.includes(Math.floor(minute)) ? 0 : 1),
  };
}

/** Runs of two kinds that fail. */
function failingBoth(
  [outcome, minutes]: readonly [string, readonly number[]],
  [other, otherMinutes]: readonly [string, readonly number[]],
): Courses {
  const both = failingAt(outcome, [...minutes, ...otherMinutes]);
  return { ...both, [run(outcome)]: risesAt(...minutes), [run(other)]: risesAt(...otherMinutes) };
}

/** The same of a run that says nothing of the service. */
function oneBlind(outcome: string, from: number, to: number): Courses {
  return { ...failing(outcome, from, to), [events("canary-success", "bad")]: () => 0 };
}

/** The probe's own times, by a clock that is so far ahead. */
function byClock(seconds: number, series: Courses): Courses {
  const all = Object.entries({ ...HEALTHY, ...series });
  const times = all.filter(([name]) => /^plumbline_(canary|clock)_.*timestamp_/.test(name));
  const ahead = times.map(([name, course]): [string, Course] => [
    name,
    (minute) => Number(course(minute)) + seconds,
  ]);
  return { ...series, ...Object.fromEntries(ahead) };
}

const lastRun = at("plumbline_canary_last_run_success", CANARY);
const lastSuccess = at("plumbline_canary_last_success_timestamp_seconds", CANARY);

export const CANARY_CASES: readonly RuleCase[] = [
  {
    alert: "PlumblineCanaryFailing",
    severity: "page",
    fires: {
      title: "a full outage at a canary a minute, paged within five minutes",
      series: failing("http_error", 10, 16),
      minutes: { silent: 12, firing: 14, silentAgain: 17.5 },
    },
    nearMiss: {
      title: "a single failed canary",
      series: failing("http_error", 10, 11),
      until: 30,
    },
  },
  {
    alert: "PlumblineCanaryFailing",
    severity: "page",
    fires: {
      title: "an outage of a canary every ten minutes and more",
      series: {
        ...failing("wrong_state", 40, 130),
        [at("plumbline_canary_interval_seconds", CANARY)]: () => 1_200,
      },
      minutes: { silent: 95, firing: 102, silentAgain: 132 },
    },
    nearMiss: {
      title: "refusals of the probe's own key, which are no failures of the service",
      series: failing("rate_limited", 10, 20),
      until: 25,
    },
    everySeconds: 60,
  },
  {
    alert: "PlumblineCanaryFailing",
    severity: "page",
    everySeconds: 900,
    fires: {
      title: "an outage of a canary every six hours",
      series: seldom(360, ["success", "deadline", "deadline", "deadline", "success"]),
      minutes: { silent: 1_440, firing: 1_455, silentAgain: 1_800 },
    },
    nearMiss: {
      title: "a canary every three hours that failed once, and was then refused",
      series: seldom(180, ["success", "deadline", ...Array(3).fill("rate_limited")]),
      until: 1_050,
    },
  },
  {
    alert: "PlumblineCanaryFailing",
    severity: "page",
    everySeconds: 900,
    fires: {
      title: "an outage of a canary every three hours, of whose success nothing is known",
      series: seldom(180, ["deadline", "deadline", "deadline", "success"]),
      minutes: { silent: 540, firing: 555, silentAgain: 720 },
    },
    nearMiss: {
      title: "a recovered canary of a probe that was started anew without its journal",
      series: {
        ...seldom(180, ["success", "deadline", "deadline", "success"]),
        [lastRun]: (minute) => (minute >= 720 && minute < 750 ? 1 : 0),
        [lastSuccess]: (minute) => (minute < 720 ? 180 : minute < 750 ? 720 : 0) * 60,
      },
      until: 1_050,
    },
  },
  {
    alert: "PlumblineCanaryFailing",
    severity: "page",
    fires: {
      title: "an outage, seen by a probe whose clock is an hour ahead",
      series: byClock(3_600, failing("http_error", 10, 16)),
      minutes: { silent: 12, firing: 14, silentAgain: 17.5 },
    },
    nearMiss: {
      title: "two failures and a success between them, by a clock that is an hour behind",
      series: byClock(-3_600, {
        [run("http_error")]: risesAt(10, 12),
        [lastRun]: (minute) => ([10, 12].includes(Math.floor(minute)) ? 0 : 1),
      }),
      until: 20,
    },
  },
  {
    alert: "PlumblineCanaryBlind",
    severity: "ticket",
    fires: {
      title: "runs of one canary end without a verdict",
      series: oneBlind("probe_error", 10, 16),
      minutes: { silent: 12, firing: 14, silentAgain: 17.5 },
    },
    nearMiss: {
      title: "a single submission whose job was not found",
      series: oneBlind("ambiguous_submission", 10, 11),
      until: 30,
    },
  },
  {
    alert: "PlumblineKeyRejected",
    severity: "page",
    fires: {
      title: "the probe's key is rejected, paged within five minutes",
      series: failing("auth", 10, 16),
      minutes: { silent: 12, firing: 14, silentAgain: 17.5 },
    },
    nearMiss: {
      title: "a single run whose key was rejected",
      series: failing("auth", 10, 11),
      until: 30,
    },
  },
  {
    alert: "PlumblineCanaryFlapping",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "three jobs in an hour that failed, with good ones between",
      series: failingAt("wrong_state", [20, 35, 50]),
      minutes: { silent: 49, firing: 52, silentAgain: 82 },
    },
    nearMiss: {
      title: "an outage of some minutes, and one failure apart from it",
      series: failingAt("http_error", [20, 21, 22, 40]),
      until: 70,
    },
  },
  {
    alert: "PlumblineCanaryFlapping",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "two jobs in fifteen without their result",
      series: failingAt("wrong_result", [15, 30, 32, 45]),
      minutes: { silent: 31, firing: 34, silentAgain: 93 },
    },
    nearMiss: {
      title: "three runs that a limit refused, which are no failures of the service",
      series: failingAt("rate_limited", [20, 35, 50]),
      until: 70,
    },
  },
  {
    alert: "PlumblineCanaryFlapping",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "three jobs in an hour that failed, beside runs that a limit refused",
      series: failingBoth(["wrong_state", [20, 35, 50]], ["rate_limited", [25, 40]]),
      minutes: { silent: 49, firing: 52, silentAgain: 82 },
    },
    nearMiss: {
      title: "one outage of some minutes, beside runs that a limit refused",
      series: failingBoth(["http_error", [20, 21, 22]], ["rate_limited", [10, 30, 40]]),
      until: 70,
    },
  },
];
