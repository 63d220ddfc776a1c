/** What people and CI servers get to see: terminal text, JUnit XML, Markdown. */

import { describe, expect, it } from "vitest";

import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Finding } from "../../contract/verdict.ts";
import { inconclusive, unobserved } from "../../contract/verdict.ts";
import { buildReport } from "../../report/build-report.ts";
import { renderJunit } from "../../report/junit.ts";
import type { Report } from "../../report/model.ts";
import { renderSummary } from "../../report/summary.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

const PLAIN = { width: 100, color: false };
const ALL = PROMISE_IDS.length;
/** Of the mixed report below. */
const KEPT = ALL - 5;
const ESCAPE = "\u001b";

function mixedReport(broken: Finding = BROKEN_WAIT): Report {
  const findings = findingsWith(
    broken,
    inconclusive("rate.sustained", "the generator was late"),
    unobserved("auth.revoked-key", "no revoked key is configured"),
    unobserved("load.stable", "not asked for"),
    unobserved("load.errors", "not asked for"),
  );
  const rate = {
    key: "free-a",
    plan: "free",
    declared: { sustained: 10, burst: 20 },
    sustained: { value: 10.012, low: 9.99, high: 10.03 },
    burst: { value: 20, low: 20, high: 21 },
    algorithm: "token bucket",
  };
  const measurements = { rate: [rate, { of: "another shape" }] };
  return buildReport(healthyResult({ findings, measurements, notes: ["cancel is DELETE"] }));
}

function hostile(text: string): Report {
  const [observation] = BROKEN_WAIT.observations;
  if (observation === undefined) throw new Error("the fixture quotes nothing");
  const observations = [{ ...observation, body: text }];
  return mixedReport({ ...BROKEN_WAIT, summary: text, evidence: { text }, observations });
}

describe("renderTerminal", () => {
  it("shows broken promises first, with evidence and the quoted answer", () => {
    const text = renderTerminal(mixedReport(), PLAIN);
    expect(text.indexOf("BROKEN (1)")).toBeLessThan(text.indexOf("INCONCLUSIVE (1)"));
    expect(text.indexOf("INCONCLUSIVE (1)")).toBeLessThan(text.indexOf(`KEPT (${KEPT})`));
    expect(text).toContain("waited 10.0 s, promised 30 s");
    expect(text).toMatch(/expected +30 s/);
    expect(text).toMatch(/measured +10 s, 10 s/);
    expect(text).toContain("GET /v1/me → 429 (2023-11-14T22:13:20.000Z, 3.25 ms, key free-a)");
    expect(text).toContain("retry-after: 1");
    expect(text).toContain("age: 12");
    expect(text).toContain("x-request-id: req-7");
  });

  it("shortens texts for a screen, and none for a file", () => {
    const end = "the end of it";
    const long = `${"a long evidence ".repeat(60)}${end}`;
    const body = `${"line\n".repeat(20)}${end}`;
    const [observation] = BROKEN_WAIT.observations;
    if (observation === undefined) throw new Error("the fixture quotes nothing");
    const quoted = { evidence: { long }, observations: [{ ...observation, body }] };
    const report = mixedReport({ ...BROKEN_WAIT, ...quoted });
    expect(renderTerminal(report, PLAIN)).not.toContain(end);
    const whole = renderTerminal(report, { ...PLAIN, whole: true });
    expect(whole.replace(/\s+/g, " ").split(end)).toHaveLength(3);
    expect(whole).not.toContain("…");
  });

  it("begins a line with each item of a list, and leaves figures in a row", () => {
    const job = (n: number) => `a job that timed out after running for ${n} seconds`;
    const examples = [job(1), job(2), job(2), job(3), job(4)];
    const evidence = { examples, measured: ["1150 ms", "1152 ms"] };
    const report = mixedReport({ ...BROKEN_WAIT, evidence });
    const shown = renderTerminal(report, PLAIN);
    const rows = shown.split("\n").filter((row) => /timed out|more$|1150/.test(row));
    expect(rows.map((row) => row.trim())).toEqual([
      `examples  ${job(1)}`,
      job(2),
      job(3),
      "… and 1 more",
      "measured  1150 ms; 1152 ms",
    ]);
    expect(renderTerminal(report, { ...PLAIN, whole: true })).toContain(job(4));
  });

  it("leaves out of the evidence what the summary and the quotes say", () => {
    const said = BROKEN_WAIT.summary;
    const seen = [{ at: "2023-11-14T22:13:20.000Z", request: "GET /v1/me", answer: "429" }];
    const evidence = { examples: [said, "another wait"], shown: [{ attempts: [] }], seen };
    const lines = renderTerminal(mixedReport({ ...BROKEN_WAIT, evidence }), PLAIN).split("\n");
    const rows = lines.filter((row) => /examples|wait|shown|seen|attempts/.test(row));
    expect(rows.slice(1, 4).map((row) => row.trim())).toEqual([
      said,
      "examples  another wait",
      "shown     attempts none",
    ]);
    expect(lines.join("\n")).not.toContain("seen");
    const bare = { ...BROKEN_WAIT, evidence: { seen }, observations: [] };
    expect(renderTerminal(mixedReport(bare), PLAIN)).toContain("seen  at 2023-11-14T22:13:20.000Z");
  });

  it("ends with one line that sums up", () => {
    const lines = renderTerminal(mixedReport(), PLAIN).trimEnd().split("\n");
    const counts = `${ALL} promises: ${KEPT} kept, 1 broken, 1 inconclusive, 3 unobserved`;
    expect(lines.at(-1)).toBe(`${counts} — FAIL (99)`);
  });

  it("tells equal reasons once", () => {
    const text = renderTerminal(mixedReport(), PLAIN);
    expect(text.match(/not asked for/g)).toHaveLength(1);
    expect(text).toContain("load.errors, load.stable");
  });

  it("counts what was not asked for, and lists what was", () => {
    const findings = findingsWith(
      unobserved("auth.revoked-key", "no revoked key is configured"),
      unobserved("load.stable", "not asked for"),
      unobserved("load.errors", "not asked for"),
    );
    const only = healthyResult()
      .findings.map(({ promise }) => promise)
      .filter((id) => !id.startsWith("load."));
    const text = renderTerminal(buildReport(healthyResult({ findings, only })), PLAIN);
    expect(text).toContain("UNOBSERVED (3)");
    expect(text).toContain("auth.revoked-key");
    expect(text).toContain("– 7 were not asked for");
    expect(text).not.toContain("load.stable,");
  });

  it.each([
    [{ jobs: 0, credits: 0, usd: 0 }, null, "submitted no jobs"],
    [{ jobs: 47, credits: 0, usd: 0.47000000000000003 }, null, "submitted 47 jobs, 0.47 USD"],
    [
      { jobs: 47, credits: 94, usd: 0 },
      { jobs: 50, credits: null, usd: null },
      "submitted 47 jobs, 94 credits of at most 50 jobs",
    ],
  ])("says what the run cost: %j", (spent, ceiling, line) => {
    const budget = { ceiling, planned: spent, spent };
    const text = renderTerminal(buildReport(healthyResult({ budget })), PLAIN);
    expect(text.split("\n")).toContain(line);
  });

  it("shows run limits and load beside the limits of keys", () => {
    const distribution = { p50: 1.5, p99: 4, max: 9 };
    const measurements = {
      timeout: [{ worker: "nap", limitMs: 400, timedOut: 12, overshootMs: distribution }],
      load: [
        {
          offered: 300,
          seconds: 15,
          throughput: 19.931,
          ended: 300,
          inFlight: 0,
          requestsPerJob: 2.017,
          submitMs: distribution,
          queueWaitMs: null,
        },
      ],
    };
    const text = renderTerminal(buildReport(healthyResult({ measurements })), PLAIN);
    expect(text).toContain("nap: 12 jobs stopped at their limit of 400 ms, late by 1.5 ms (p50)");
    expect(text.replace(/\s+/g, " ")).toContain(
      "load: 300 jobs offered in 15 s, 300 ended, 0 in flight, 19.93 completed a second, " +
        "submit 1.5 ms (p50), 4 ms (p99), 2.0 requests a job",
    );
  });

  it("shows what is known of a load that was too short for a throughput", () => {
    const load = {
      ...{ offered: 3, seconds: 1, throughput: null, ended: 0, inFlight: 3 },
      ...{ requestsPerJob: null, submitMs: { p50: 1.5, p99: 4 }, queueWaitMs: { count: 0 } },
    };
    const text = renderTerminal(
      buildReport(healthyResult({ measurements: { load: [load] } })),
      PLAIN,
    );
    expect(text.replace(/\s+/g, " ")).toContain(
      "load: 3 jobs offered in 1 s, 0 ended, 3 in flight, " +
        "too short to tell what was completed a second, submit 1.5 ms (p50), 4 ms (p99)",
    );
  });

  it("shows limits of a key of which not all is known", () => {
    const limit = { key: "free-a", plan: "free", declared: { sustained: 10, burst: 20 } };
    const rate = [
      {
        ...limit,
        sustained: { value: 10, low: 9.5, high: null },
        burst: null,
        algorithm: "unknown",
      },
      { ...limit, burst: { value: 19, low: 19, high: 20 }, algorithm: "fixed window" },
    ];
    const text = renderTerminal(buildReport(healthyResult({ measurements: { rate } })), PLAIN);
    expect(text).toMatch(
      /free-a \(free\) +10\.00\/s \[9\.50, unknown\] of 10 +burst unknown +kind unknown/,
    );
    expect(text).toContain("burst 19 [19, 20] of 20  fixed window");
  });

  it("shows the measured limits and leaves out figures of another shape", () => {
    const text = renderTerminal(mixedReport(), PLAIN);
    expect(text).toContain(
      "free-a (free)  10.01/s [9.99, 10.03] of 10  burst 20 [20, 21] of 20  token bucket",
    );
    expect(text).not.toContain("another shape");
  });

  it("keeps within the width", () => {
    const text = renderTerminal(hostile("word ".repeat(100) + "x".repeat(300)), {
      width: 60,
      color: false,
    });
    const quoted = text.split("\n").filter((line) => /word|xxx/.test(line));
    expect(quoted.length).toBeGreaterThan(5);
    expect(Math.max(...quoted.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it("uses escape sequences only where colour is asked for", () => {
    expect(renderTerminal(mixedReport(), PLAIN)).not.toContain(ESCAPE);
    expect(renderTerminal(mixedReport(), { ...PLAIN, color: true })).toContain(`${ESCAPE}[31m`);
  });

  it("lets no answer steer the terminal", () => {
    const text = renderTerminal(hostile(`${ESCAPE}[2J\u0007\u009b31m\rhidden`), PLAIN);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be absent.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("renderJunit", () => {
  it("has a test case a promise", () => {
    const xml = renderJunit(mixedReport());
    expect(xml.match(/<testcase /g)).toHaveLength(ALL);
    expect(xml).toContain(`tests="${ALL}" failures="1" errors="1" time=`);
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml.match(/<error /g)).toHaveLength(1);
    expect(xml.match(/<skipped>/g)).toHaveLength(3);
  });

  it("escapes what XML would read as markup", () => {
    const xml = renderJunit(mixedReport());
    expect(xml).toContain("slow &lt;down&gt; &amp; wait");
  });

  it("drops what XML cannot carry", () => {
    const xml = renderJunit(hostile(`a\u0000b${ESCAPE}c\ud800d\uffffe]]>`));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be absent.
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\uffff]/);
    expect(xml.isWellFormed()).toBe(true);
    expect(xml).not.toContain("]]>");
  });

  it("cuts what is too long for a CI server", () => {
    expect(renderJunit(hostile("y".repeat(1_000_000))).length).toBeLessThan(60_000);
  });
});

describe("renderSummary", () => {
  it("says the verdict first and folds what is fine", () => {
    const markdown = renderSummary(mixedReport());
    expect(markdown.startsWith(`# Plumbline: FAIL\n\n${ALL} promises: ${KEPT} kept, 1 `)).toBe(
      true,
    );
    expect(markdown).toContain(`<details><summary>${KEPT} kept</summary>`);
    expect(markdown).toContain("### webhook.wait-2");
  });

  it("keeps an answer's markup out of the page", () => {
    const text = "| a | <script>alert(1)</script> `code` [x](http://x) ```\n# heading";
    const markdown = renderSummary(hostile(text));
    const outsideFences = markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "");
    expect(outsideFences).not.toContain("<script>");
    expect(outsideFences).toContain("\\| a \\|");
    expect(outsideFences).not.toMatch(/^# heading/m);
  });

  it("fences a body that has fences of its own with a longer one", () => {
    expect(renderSummary(hostile("````\nfree\n````"))).toContain("`````text\n");
  });

  it("says when a run was cut short", () => {
    const report = buildReport(healthyResult({ interrupted: true }));
    expect(renderSummary(report)).toContain("**Partial");
  });
});
