/** What GitHub Actions is told: annotations that can't be forged, and a summary of lawful size. */

import { describe, expect, it } from "vitest";

import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Finding } from "../../contract/verdict.ts";
import { inconclusive } from "../../contract/verdict.ts";
import { buildReport } from "../../report/build-report.ts";
import { githubAnnotations, stepSummary, withoutCommands } from "../../report/github.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

function annotations(...findings: Finding[]): string[] {
  return githubAnnotations(buildReport(healthyResult({ findings: findingsWith(...findings) })));
}

describe("githubAnnotations", () => {
  it("has nothing to say of a run in which all is well", () => {
    expect(annotations()).toEqual([]);
  });

  it("makes an error of a broken promise and a warning of a doubt", () => {
    expect(annotations(BROKEN_WAIT, inconclusive("rate.burst", "too late"))).toEqual([
      "::error title=webhook.wait-2::waited 10.0 s, promised 30 s",
      "::warning title=rate.burst::too late",
    ]);
  });

  it("keeps an answer from ending the command or starting another", () => {
    const summary = "100%\r\n::set-env name=A::b";
    const [only, ...others] = annotations({ ...BROKEN_WAIT, summary });
    expect(only).toBe("::error title=webhook.wait-2::100%25 ::set-env name=A::b");
    expect(others).toEqual([]);
  });

  it("says how many are left where GitHub would drop them", () => {
    const broken = PROMISE_IDS.slice(0, 15).map((promise) => ({ ...BROKEN_WAIT, promise }));
    const lines = annotations(...broken);
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe("::error title=plumbline::6 more are in the report");
  });
});

describe("withoutCommands", () => {
  it("brackets a text, and ends it on a line of its own", () => {
    expect(withoutCommands("::error::forged", "T")).toBe(
      "::stop-commands::T\n::error::forged\n::T::\n",
    );
  });
});

describe("stepSummary", () => {
  it("is cut at a line where GitHub would refuse it", () => {
    const findings = PROMISE_IDS.map((promise) => ({
      ...BROKEN_WAIT,
      promise,
      summary: "x".repeat(20_000),
    }));
    const text = stepSummary(buildReport(healthyResult({ findings })));
    expect(Buffer.byteLength(text)).toBeLessThan(1_048_576);
    expect(text.trimEnd().endsWith("Cut here; summary.md has the rest.")).toBe(true);
  });
});
