/** The report as JUnit XML: a test case a promise, so that any CI can show it. */

import type { Verdict } from "../contract/verdict.ts";
import type { BaselineEntry } from "./baseline.ts";
import { baselineEntries } from "./baseline.ts";
import { byGroup, contentLines, tookMs } from "./by-verdict.ts";
import { evidenceRows, quoteFacts } from "./evidence.ts";
import type { JudgedPromise, Report } from "./model.ts";
import { strengthText } from "./strength-text.ts";
import { cut, escaped, oneLine } from "./text.ts";

/** Ours: CI servers cut or refuse very long messages. */
const MESSAGE_CHARS_MAX = 1_000;
const DETAIL_CHARS_MAX = 8_000;

export function renderJunit(report: Report): string {
  const suites = [...byGroup(report.promises)].map(([name, promises]) => {
    return { name, cases: promises.map(promiseCase) };
  });
  const baseline = { name: "baseline", cases: baselineEntries(report).map(baselineCase) };
  const all = baseline.cases.length === 0 ? suites : [...suites, baseline];
  const counts = countsOf(all.flatMap(({ cases }) => cases));
  const seconds = (tookMs(report) / 1_000).toFixed(3);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="plumbline" ${counts.common} time="${seconds}">`,
    ...all.flatMap((each) => suiteLines(each, report)),
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

interface TestCase {
  group: string;
  name: string;
  outcome: "passed" | "failure" | "error" | "skipped";
  /** One sentence. */
  message: string;
  detail: string;
  /** Said of one that passed, after its message. */
  told: readonly string[];
}

interface Suite {
  name: string;
  cases: readonly TestCase[];
}

const OUTCOMES: Readonly<Record<Verdict, TestCase["outcome"]>> = {
  kept: "passed",
  broken: "failure",
  inconclusive: "error",
  unobserved: "skipped",
};

function promiseCase(promise: JudgedPromise): TestCase {
  return {
    group: promise.id.split(".")[0] ?? "",
    name: `${promise.id}: ${oneLine(promise.title)}`,
    outcome: OUTCOMES[promise.verdict],
    message: oneLine(promise.summary),
    detail: detailText(promise),
    told: promise.strength === null ? [] : [strengthText(promise.strength)],
  };
}

/** A figure that got worse fails only where the run was asked to fail by it. */
function baselineCase({ figure, verdict, text, fails }: BaselineEntry): TestCase {
  const isTold = verdict === "worse" || verdict === "not compared";
  return {
    group: "baseline",
    name: figure ?? "comparison with the accepted runs",
    outcome: fails ? "failure" : isTold ? "skipped" : "passed",
    message: oneLine(text),
    detail: text,
    told: [],
  };
}

/** The common schema of Jenkins knows `skipped` on a suite only. */
function countsOf(cases: readonly TestCase[]): { common: string; skipped: string } {
  const count = (outcome: TestCase["outcome"]) =>
    cases.filter((each) => each.outcome === outcome).length;
  return {
    common: `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}"`,
    skipped: `skipped="${count("skipped")}"`,
  };
}

function suiteLines({ name, cases }: Suite, report: Report): string[] {
  const { common, skipped } = countsOf(cases);
  const counts = `${common} ${skipped}`;
  return [
    `  <testsuite name="${escaped(name)}" ${counts} timestamp="${report.startedAt}">`,
    ...properties(report),
    ...cases.flatMap(caseLines),
    "  </testsuite>",
  ];
}

function properties(report: Report): string[] {
  const values: [string, string][] = [
    ["baseUrl", report.target.baseUrl],
    ["profile", report.profile],
    ["seed", String(report.seed)],
    ["partial", String(report.partial)],
    ...Object.entries(report.labels).map(([name, value]): [string, string] => {
      return [`label.${name}`, value];
    }),
  ];
  return [
    "    <properties>",
    ...values.map(([name, value]) => `      <property name="${name}" value="${escaped(value)}"/>`),
    "    </properties>",
  ];
}

/** Why a case was skipped is its text, as not every reader knows an attribute there. */
function caseLines({ group, name, outcome, message, detail, told: more }: TestCase): string[] {
  const classname = escaped(`plumbline.${group}`);
  const told = escaped(cut([message, ...more].join("; "), MESSAGE_CHARS_MAX));
  const whole = escaped(cut(detail, DETAIL_CHARS_MAX));
  const body = {
    passed: `<system-out>${told}</system-out>`,
    skipped: `<skipped>${told}</skipped>`,
    failure: `<failure message="${told}" type="broken">${whole}</failure>`,
    error: `<error message="${told}" type="inconclusive">${whole}</error>`,
  }[outcome];
  return [
    `    <testcase classname="${classname}" name="${escaped(name)}">`,
    `      ${body}`,
    "    </testcase>",
  ];
}

function detailText(promise: JudgedPromise): string {
  const evidence = evidenceRows(promise).map(({ name, items }) => `${name}: ${items.join("; ")}`);
  const quotes = promise.observations.flatMap((each) => [
    `${each.request} -> ${each.answer} (${quoteFacts(each)})`,
    ...contentLines(each),
  ]);
  return [promise.summary, ...evidence, ...quotes].join("\n");
}
