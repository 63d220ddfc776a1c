/** The report as JUnit XML: a test case a promise, so that any CI can show it. */

import { byGroup } from "./by-verdict.ts";
import type { JudgedPromise, Observation, Report } from "./model.ts";
import { cut, evidenceName, evidenceText, oneLine, printable } from "./text.ts";

/** Ours: CI servers cut or refuse very long messages. */
const MESSAGE_CHARS_MAX = 1_000;
const DETAIL_CHARS_MAX = 8_000;

export function renderJunit(report: Report): string {
  const suites = [...byGroup(report.promises)].map(([name, promises]) =>
    suite(name, promises, report),
  );
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="plumbline" ${totals(report.promises)}${seconds(report)}>`,
    ...suites.flat(),
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function seconds(report: Report): string {
  const ms = Date.parse(report.finishedAt) - Date.parse(report.startedAt);
  return ` time="${(ms / 1_000).toFixed(3)}"`;
}

function totals(promises: readonly JudgedPromise[]): string {
  const count = (verdict: JudgedPromise["verdict"]) =>
    promises.filter((each) => each.verdict === verdict).length;
  return (
    `tests="${promises.length}" failures="${count("broken")}" ` +
    `errors="${count("inconclusive")}" skipped="${count("unobserved")}"`
  );
}

function suite(name: string, promises: readonly JudgedPromise[], report: Report): string[] {
  return [
    `  <testsuite name="${escaped(name)}" ${totals(promises)} timestamp="${report.startedAt}">`,
    ...properties(report),
    ...promises.flatMap(testCase),
    "  </testsuite>",
  ];
}

function properties(report: Report): string[] {
  const values: [string, string][] = [
    ["baseUrl", report.target.baseUrl],
    ["profile", report.profile],
    ["seed", String(report.seed)],
    ["partial", String(report.partial)],
  ];
  return [
    "    <properties>",
    ...values.map(([name, value]) => `      <property name="${name}" value="${escaped(value)}"/>`),
    "    </properties>",
  ];
}

function testCase(promise: JudgedPromise): string[] {
  const name = escaped(`${promise.id}: ${oneLine(promise.title)}`);
  const group = promise.id.split(".")[0] ?? "";
  const open = `    <testcase classname="plumbline.${escaped(group)}" name="${name}"`;
  const message = escaped(cut(oneLine(promise.summary), MESSAGE_CHARS_MAX));
  switch (promise.verdict) {
    case "kept":
      return [`${open}/>`];
    case "unobserved":
      return [`${open}>`, `      <skipped message="${message}"/>`, "    </testcase>"];
    case "broken":
      return [`${open}>`, ...problem("failure", message, promise), "    </testcase>"];
    case "inconclusive":
      return [`${open}>`, ...problem("error", message, promise), "    </testcase>"];
  }
}

function problem(tag: "failure" | "error", message: string, promise: JudgedPromise): string[] {
  const detail = escaped(cut(detailText(promise), DETAIL_CHARS_MAX));
  return [`      <${tag} message="${message}" type="${promise.verdict}">${detail}</${tag}>`];
}

function detailText(promise: JudgedPromise): string {
  const evidence = Object.entries(promise.evidence).map(
    ([name, value]) => `${evidenceName(name)}: ${evidenceText(name, value)}`,
  );
  return [promise.summary, ...evidence, ...promise.observations.map(quotedText)].join("\n");
}

function quotedText(observation: Observation): string {
  const headers = Object.entries(observation.headers ?? {}).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [
    `${observation.request} -> ${observation.answer}`,
    ...(observation.requestBody === undefined ? [] : [`> ${observation.requestBody}`]),
    ...headers,
    ...(observation.body === undefined ? [] : [observation.body]),
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML text or attribute value, without the characters that XML 1.0 cannot carry at all. */
function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
