/** What a comparison with a baseline does to a report: it informs, and fails only where asked. */

import { describe, expect, it } from "vitest";

import type { BaselineComparison } from "../../capacity/baseline/judge.ts";
import { entriesOf } from "../../cli/files/baseline-file.ts";
import { BASELINE_GROUP, baselineEntries, withBaselineVerdict } from "../../report/baseline.ts";
import { buildReport } from "../../report/build-report.ts";
import { githubAnnotations } from "../../report/github.ts";
import type { Report } from "../../report/model.ts";
import { renderSummary } from "../../report/summary.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

const COMPARED: BaselineComparison = {
  kind: "compared",
  accepted: 12,
  recent: 10,
  figures: [
    {
      name: "submit p95",
      unit: "ms",
      verdict: "worse",
      accepted: 8,
      recent: 12,
      probability: 0.00021,
      delta: 0.95,
      shift: 4,
    },
    {
      name: "throughput",
      unit: "jobs/s",
      verdict: "no difference found",
      accepted: 20,
      recent: 20,
      probability: 1,
      delta: 0,
      shift: 0,
    },
  ],
};

function reportWith(failing: boolean, difference = {}): Report {
  const measurements = { [BASELINE_GROUP]: entriesOf(COMPARED, failing) };
  return withBaselineVerdict(buildReport(healthyResult({ measurements, ...difference })));
}

describe("a regression", () => {
  it("is told in words, with both medians and how sure it is", () => {
    expect(baselineEntries(reportWith(false)).map(({ text }) => text)).toEqual([
      "submit p95 worse: median 12 ms, accepted 8 ms, shift 4 ms, p 0.00021, delta 0.95 " +
        "(10 runs against 12 accepted)",
      "throughput no difference found: median 20 jobs/s, accepted 20 jobs/s, shift 0 jobs/s, " +
        "p 1.0, delta 0.00 (10 runs against 12 accepted)",
    ]);
    expect(renderSummary(reportWith(false))).toContain("- baseline: submit p95 worse");
  });

  it("informs where nobody asked it to fail", () => {
    const report = reportWith(false);
    expect([report.verdict, report.exitCode]).toEqual(["pass", 0]);
    expect(githubAnnotations(report)).toEqual([
      expect.stringMatching(/^::warning title=baseline::/),
    ]);
  });

  it("fails a run that passed where it is asked to", () => {
    const report = reportWith(true);
    expect([report.verdict, report.exitCode]).toEqual(["fail", 99]);
    expect(report.verdictReason).toBe("worse than the baseline: submit p95");
    expect(githubAnnotations(report)).toEqual([expect.stringMatching(/^::error title=baseline::/)]);
  });

  it("leaves a run alone that failed by itself, or was interrupted", () => {
    const broken = reportWith(true, { findings: findingsWith(BROKEN_WAIT) });
    expect(broken.verdictReason).toBe("1 promise broken");
    expect(reportWith(true, { interrupted: true }).exitCode).toBe(105);
  });
});
