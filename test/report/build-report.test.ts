/** The report as data: complete, valid against its own schema, and free of secrets. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { redactor } from "../../contract/text/redact.ts";
import { Secret } from "../../contract/text/secret.ts";
import { unobserved } from "../../contract/verdict.ts";
import { buildReport } from "../../report/build-report.ts";
import { jsonSchemaText } from "../../report/json-schema.ts";
import { reportSchema } from "../../report/model.ts";
import { ROOT } from "../../runner/package-root.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

const SCHEMA_FILE = join(ROOT, "schemas/report.schema.json");

describe("buildReport", () => {
  it("counts the verdicts of all promises", () => {
    const findings = findingsWith(BROKEN_WAIT, unobserved("rate.burst", "no key"));
    const report = buildReport(healthyResult({ findings }));
    expect(report.counts).toEqual({
      kept: PROMISE_IDS.length - 2,
      broken: 1,
      inconclusive: 0,
      unobserved: 1,
    });
    expect(report.promises).toHaveLength(PROMISE_IDS.length);
    expect([report.verdict, report.exitCode]).toEqual(["fail", 99]);
  });

  it("reports a promise without a finding as unobserved", () => {
    const findings = healthyResult().findings.filter(({ promise }) => promise !== "job.shape");
    const report = buildReport(healthyResult({ findings }), { strict: true });
    const shape = report.promises.find(({ id }) => id === "job.shape");
    expect(shape?.verdict).toBe("unobserved");
    expect(report.exitCode).toBe(111);
  });

  it("marks an interrupted run as partial", () => {
    const report = buildReport(healthyResult({ interrupted: true }));
    expect([report.partial, report.exitCode]).toEqual([true, 105]);
  });

  it("holds no secret, wherever one stood", () => {
    const secret = 'k"ey-1234';
    const findings = findingsWith({
      ...BROKEN_WAIT,
      summary: `saw ${secret}`,
      evidence: { [secret]: [{ deep: `x${secret}x` }] },
    });
    const result = healthyResult({ findings, notes: [secret], measurements: { rate: [secret] } });
    const text = JSON.stringify(buildReport(result, { redact: redactor([new Secret(secret)]) }));
    expect(text).not.toContain("ey-1234");
    expect(text).toContain("saw [redacted]");
  });
});

describe("report.json", () => {
  const report = JSON.parse(
    JSON.stringify(buildReport(healthyResult({ findings: findingsWith(BROKEN_WAIT) }))),
  ) as unknown;

  it("is read back by its own definition", () => {
    expect(reportSchema.parse(report)).toEqual(report);
  });

  it("is valid against the published JSON Schema", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA_FILE, "utf8")) as object);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...(report as object), verdict: "maybe" })).toBe(false);
  });

  it("has a published JSON Schema that is current: npm run generate", () => {
    expect(readFileSync(SCHEMA_FILE, "utf8")).toBe(
      jsonSchemaText("Plumbline report", reportSchema),
    );
  });
});
