/** Rule tests in pairs: an alert fires and resolves, and stays silent when it is nearly so. */

import { parse, stringify } from "yaml";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ruleFile } from "../../../dashboards/rules/rule-file.ts";
import type { Course, Courses } from "./healthy.ts";
import { HEALTHY } from "./healthy.ts";

export interface RuleCase {
  alert: string;
  severity: "page" | "ticket";
  fires: {
    title: string;
    series: Courses;
    /** When nothing fires yet, when it does, and when nothing fires any more. */
    minutes: { silent: number; firing: number; silentAgain: number };
    /** Other alerts that rightly fire by then. */
    also?: readonly string[];
  };
  nearMiss: {
    title: string;
    series: Courses;
    /** Nothing else has fired up to this minute. */
    until: number;
    also?: readonly string[];
  };
  /** When minute 0 is; the start of 1970 where not told. */
  startsAt?: string;
  /** Interval of scrapes and evaluations; the shortest that any case needs where not told. */
  everySeconds?: number;
}

const SCRAPE_SECONDS = 30;

export interface TestFiles {
  files: Readonly<Record<string, string>>;
  /** The files that promtool is to test. */
  tests: readonly string[];
}

/** A test file of promtool for each pace, with rules that are kept by `keep`. */
export function testFiles(
  cases: readonly RuleCase[],
  keep: (rule: Rule) => boolean,
  testsOf: TestMaker = pairOf,
): TestFiles {
  const paces = Map.groupBy(cases, ({ everySeconds }) => everySeconds ?? SCRAPE_SECONDS);
  const groups = groupsOf(keep);
  const files: Record<string, string> = { "rules.yaml": stringify({ groups }, { lineWidth: 0 }) };
  for (const [seconds, paced] of paces) {
    files[`every-${seconds}s.yaml`] = stringify(
      {
        rule_files: ["rules.yaml"],
        evaluation_interval: `${seconds}s`,
        // Without it promtool draws lots, and alerts may look before anything is recorded.
        group_eval_order: groups.map(({ name }) => name),
        tests: paced.flatMap((each) => {
          const { startsAt: start_timestamp } = each;
          const start = start_timestamp === undefined ? {} : { start_timestamp };
          return testsOf(each, seconds).map((made) => ({ ...start, ...made }));
        }),
      },
      { lineWidth: 0 },
    );
  }
  return { files, tests: Object.keys(files).filter((name) => name !== "rules.yaml") };
}

export interface Rule {
  alert?: string;
  record?: string;
  labels?: Readonly<Record<string, string>>;
}

/** The shipped rules, less those that have nothing to do with the tests: they cost their time. */
function groupsOf(keep: (rule: Rule) => boolean) {
  const { groups } = parse(ruleFile(DEFAULT_RULE_OPTIONS)) as {
    groups: { name: string; rules: Rule[] }[];
  };
  const kept = groups.map((group) => ({ ...group, rules: group.rules.filter(keep) }));
  return kept.filter(({ rules }) => rules.length > 0);
}

type TestMaker = (each: RuleCase, seconds: number) => readonly object[];

/** Also expects of an alert that fires that it does not: promtool then prints it as it is sent. */
export const printing: TestMaker = (each, seconds) => {
  const [fires] = pairOf(each, seconds);
  const eval_time = `${each.fires.minutes.firing * 60}s`;
  const asked = { eval_time, alertname: each.alert, exp_alerts: [] };
  return [{ ...fires, alert_rule_test: [asked] }];
};

/** Near misses of each alert, with its own rules: what fires beside it is asked where it does. */
export function nearMisses(cases: readonly RuleCase[]): TestFiles {
  const files: Record<string, string> = {};
  const tests: string[] = [];
  for (const [alert, alike] of Map.groupBy(cases, (each) => each.alert)) {
    const made = testFiles(
      alike,
      (rule) => rule.alert === alert,
      (each, seconds) => pairOf(each, seconds).slice(1),
    );
    for (const [name, text] of Object.entries(made.files)) files[`${alert}/${name}`] = text;
    tests.push(...made.tests.map((name) => `${alert}/${name}`));
  }
  return { files, tests };
}

/** What promtool says against expressions, which no alert is that was only to be printed. */
export function failedExpressions(said: string): readonly string[] {
  return said.match(/^ *expr: .*$/gm) ?? [];
}

/** Asks other questions of the series of the alert that fires, of each case the same. */
export function asking(
  questions: readonly { minute: number; expr: string; labels: readonly string[] }[],
): TestMaker {
  return ({ alert, fires }, seconds) => {
    const { promql_expr_test, ...rest } = test(
      alert,
      fires.series,
      fires.minutes.firing,
      [],
      seconds,
    );
    const asked = questions.map(({ minute, expr, labels }) => ({
      expr,
      eval_time: `${minute * 60}s`,
      exp_samples: labels.map((each) => ({ labels: each, value: 1 })),
    }));
    return [{ ...rest, promql_expr_test: asked }];
  };
}

function pairOf({ alert, severity, fires, nearMiss }: RuleCase, seconds: number): [object, object] {
  const all = [`${alert} ${severity}`, ...(fires.also ?? [])];
  const expected = [
    { minute: fires.minutes.silent, expr: FIRING, firing: [] },
    { minute: fires.minutes.firing, expr: FIRING, firing: all },
    { minute: fires.minutes.silentAgain, expr: FIRING, firing: [] },
  ];
  const ever = `group by (alertname, severity) (last_over_time(${ALERTS}[${nearMiss.until}m]))`;
  return [
    test(
      `${alert} fires: ${fires.title}`,
      fires.series,
      fires.minutes.silentAgain,
      expected,
      seconds,
    ),
    test(
      `${alert} stays silent: ${nearMiss.title}`,
      nearMiss.series,
      nearMiss.until,
      [{ minute: nearMiss.until, expr: ever, firing: nearMiss.also ?? [] }],
      seconds,
    ),
  ];
}

const ALERTS = 'ALERTS{alertstate="firing",alertname!="PlumblineWatchdog"}';
const FIRING = `group by (alertname, severity) (${ALERTS})`;

interface Expected {
  minute: number;
  expr: string;
  /** "Alert severity". */
  firing: readonly string[];
}

function test(
  name: string,
  series: Courses,
  minutes: number,
  expected: readonly Expected[],
  seconds: number,
) {
  return {
    name,
    interval: `${seconds}s`,
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([each, course]) => ({
      series: each,
      values: valuesOf(course, minutes, seconds),
    })),
    promql_expr_test: expected.map(({ minute, expr, firing }) => ({
      expr,
      eval_time: `${Math.round(minute * 60)}s`,
      exp_samples: firing.map((each) => ({ labels: labelsOf(each), value: 1 })),
    })),
  };
}

/** "Alert severity" as labels. */
function labelsOf(firing: string): string {
  const [alert, severity] = firing.split(" ");
  return `{alertname="${alert}", severity="${severity}"}`;
}

function valuesOf(course: Course, minutes: number, seconds: number): string {
  const samples = Math.floor((minutes * 60) / seconds) + 1;
  return Array.from({ length: samples }, (_, at) => spell(course((at * seconds) / 60))).join(" ");
}

/** promtool's notation: "_" for a sample that is not there. */
function spell(value: ReturnType<Course>): string {
  if (value === null) return "_";
  return value === Number.POSITIVE_INFINITY ? "Inf" : String(value);
}
