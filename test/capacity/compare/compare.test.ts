/** Comparisons from round to verdict: what is claimed, what is not, and when they end. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { EMPTY_BASELINE } from "../../../capacity/baseline/model.ts";
import { buildComparison } from "../../../capacity/compare/build-report.ts";
import { calibratedMargins, calibrationVerdict } from "../../../capacity/compare/calibration.ts";
import { Comparison } from "../../../capacity/compare/comparison.ts";
import { looksOf } from "../../../capacity/compare/decision.ts";
import { evenMargins, marginAt } from "../../../capacity/compare/metrics.ts";
import type { ComparisonReport } from "../../../capacity/compare/model.ts";
import { renderComparison, renderComparisonMarkdown } from "../../../capacity/compare/render.ts";
import type { Block } from "../../../capacity/compare/round.ts";
import { differenceOf, orderByLot } from "../../../capacity/compare/round.ts";
import type { Ending } from "../../../capacity/compare/run-comparison.ts";
import { thisMachine } from "../../../capacity/machine.ts";
import { seededUniform } from "../../../contract/numbers/random.ts";
import { renderHtml } from "../../../report/html/render-html.ts";
import { simulatedRounds } from "./simulation/noise.ts";

const QUIET = { deviation: 0.02, correlation: 0.3, shared: 0.5 };
const MARGINS = evenMargins(0.05);
const SIDE = { baseUrl: "http://127.0.0.1:1", worker: "echo", timeScale: 1, embedded: true };

type Bend = (block: Block) => Block;

function compared(slowdown: number, bend: Bend = (block) => block, roundsMax = 80): Comparison {
  const comparison = new Comparison({ roundsMax, margins: MARGINS, seed: 1 });
  for (const round of simulatedRounds(QUIET, slowdown, seededUniform(7))) {
    comparison.add(round.map(bend));
    if (comparison.isSettled) return comparison;
  }
  return comparison;
}

function reportOf(comparison: Comparison, ending: Ending = "full"): ComparisonReport {
  const { rounds, judged } = comparison;
  return buildComparison({
    kind: "interleaved",
    rounds,
    judged,
    margins: MARGINS,
    ending,
    discarded: 0,
    roundsMax: 80,
    load: { jobsPerSecond: 20, blockSeconds: 10 },
    base: { label: "stable", ...SIDE },
    candidate: { label: "canary <b>", ...SIDE },
    seed: 1,
    startedAtMs: Date.UTC(2026, 0, 1),
    finishedAtMs: Date.UTC(2026, 0, 1, 0, 10),
    machine: thisMachine(),
    notes: [],
    withheld: null,
  });
}

const failing: Bend = (block) => {
  const failures = block.side === "candidate" ? 20 : 0;
  const errors = failures / block.attempts;
  return { ...block, failures, figures: { ...block.figures, errors } };
};

const withoutTails: Bend = (block) => {
  const figures = { ...block.figures, "job.p99": null, "api.p99": null };
  return { ...block, figures };
};

describe("a comparison", () => {
  it("of equal sides is the same in all, and ends with 0", () => {
    const { verdict, exitCode, metrics } = reportOf(compared(1));
    expect([verdict, exitCode]).toEqual(["same", 0]);
    expect(metrics.every((metric) => metric.reason === null)).toBe(true);
  });

  it("with a slower side is worse in what is slower alone, and ends early with 99", () => {
    const comparison = compared(1.3);
    const { verdict, exitCode, verdictReason } = reportOf(comparison, "settled");
    expect([verdict, exitCode]).toEqual(["worse", 99]);
    expect(verdictReason).toMatch(/^worse in job\.p50/);
    expect(verdictReason).not.toMatch(/api|throughput|errors/);
    expect(comparison.rounds.length).toBeLessThan(40);
  });

  it("with a faster side is better, and ends with 0", () => {
    const { verdict, exitCode, verdictReason } = reportOf(compared(0.7));
    expect([verdict, exitCode]).toEqual(["better", 0]);
    expect(verdictReason).toBe("better in job.p50, job.p95, job.p99, worse in nothing");
  });

  it("finds failures of one side", () => {
    const { verdictReason } = reportOf(compared(1, failing), "settled");
    expect(verdictReason).toBe("worse in errors");
  });

  it("leaves out what had too few samples, and says what would help", () => {
    const { metrics, verdict } = reportOf(compared(1, withoutTails));
    const tail = metrics.find(({ name }) => name === "job.p99");
    expect(tail).toMatchObject({ verdict: "unknown", change: null, rounds: 0 });
    expect(tail?.reason).toMatch(
      /needs 100 samples a block; a block has 200 jobs: lengthen --block/,
    );
    expect(verdict).toBe("same");
  });

  it("that is cut short can't tell, and says why", () => {
    const comparison = new Comparison({ roundsMax: 80, margins: MARGINS, seed: 1 });
    const report = reportOf(comparison, "budget");
    expect([report.verdict, report.exitCode]).toEqual(["unknown", 111]);
    expect(report.metrics[0]?.reason).toMatch(/the budget does not allow/);
    expect(reportOf(comparison, "interrupted").exitCode).toBe(105);
  });

  it("is repeated by its seed", () => {
    expect(reportOf(compared(1)).metrics).toEqual(reportOf(compared(1)).metrics);
  });
});

describe("a round", () => {
  it("has two blocks of each side, ABBA or BAAB by lot", () => {
    const random = seededUniform(3);
    const orders = Array.from({ length: 200 }, () =>
      orderByLot(random)
        .map((side) => side[0])
        .join(""),
    );
    const first = orders.filter((order) => order === "bccb").length;
    expect(new Set(orders)).toEqual(new Set(["bccb", "cbbc"]));
    expect(first).toBeGreaterThan(70);
    expect(first).toBeLessThan(130);
  });

  it("cancels a drift that is the same for both sides", () => {
    const [template] = simulatedRounds(QUIET, 1, seededUniform(1)).next().value as Block[];
    if (template === undefined) throw new Error("a round has no block");
    const sides = ["base", "candidate", "candidate", "base"] as const;
    const drifting = sides.map((side, at): Block => {
      return { ...template, side, figures: { ...template.figures, "job.p50": 100 * 1.1 ** at } };
    });
    expect(differenceOf(drifting, "job.p50")).toBeCloseTo(0, 12);
  });
});

describe("margins", () => {
  it("are at least 2 ms of short times", () => {
    expect(Math.expm1(marginAt(MARGINS, "api.p50", 4))).toBeCloseTo(0.5, 9);
    expect(Math.expm1(marginAt(MARGINS, "api.p50", 4_000))).toBeCloseTo(0.05, 9);
    expect(Math.expm1(marginAt(MARGINS, "throughput", 4))).toBeCloseTo(0.05, 9);
  });

  it("of a calibration cover what equal sides seem to differ by", () => {
    const noisy = reportOf(compared(1.04));
    const { high = 0 } = noisy.metrics[0] ?? {};
    const margins = calibratedMargins(noisy, evenMargins(0.01));
    expect(Math.expm1(margins["job.p50"])).toBeGreaterThan(high ?? 0);
    expect(calibratedMargins(noisy, evenMargins(0.5))["job.p50"]).toBeCloseTo(Math.log(1.5), 9);
  });

  it("are told in the report of a calibration", () => {
    const equal = compared(1, undefined, 8);
    const report = calibrationVerdict(reportOf(equal), equal.judged);
    expect([report.verdict, report.exitCode]).toEqual(["same", 0]);
    for (const { low, high, margin, reason } of report.metrics) {
      expect(margin).toBeGreaterThan(Math.max(-(low ?? 0), high ?? 0));
      expect(reason).toBeNull();
    }
  });

  it("can't be had where equal sides differ clearly", () => {
    const apart = compared(1.3);
    const report = calibrationVerdict(reportOf(apart), apart.judged);
    expect([report.verdict, report.exitCode]).toEqual(["unknown", 111]);
    expect(report.verdictReason).toMatch(/equal sides differ in job\.p50/);
  });
});

describe("looksOf", () => {
  it("ends with the last round, and never starts before the eighth", () => {
    for (const roundsMax of [8, 13, 60, 240]) {
      const looks = looksOf(roundsMax);
      expect([looks.at(-1), looks[0]]).toEqual([roundsMax, expect.toSatisfy((n) => n >= 8)]);
      expect([...new Set(looks)].sort((a, b) => a - b)).toEqual(looks);
    }
  });
});

describe("the renderings of a comparison", () => {
  const report = reportOf(compared(1.3), "settled");

  it("say the verdict, each metric's interval, and why others are open", () => {
    const text = renderComparison(report, { width: 100 });
    expect(text).toMatch(/job\.p50 +\S+ ms +\S+ ms +\+\d.* % +\[\+.* %, \+.* %\] +±5 % +WORSE/);
    expect(text).toMatch(/candidate +worse by +interval/);
    expect(text).toMatch(/can't tell [\s\S]*something is worse already/);
    expect(text.trimEnd().endsWith("(99)")).toBe(true);
  });

  it("keep a label's markup out of Markdown", () => {
    expect(renderComparisonMarkdown(report)).toContain("canary &lt;b&gt;");
  });

  it("draw every metric that has an interval", () => {
    const page = renderHtml({ comparisons: [report] });
    expect(page).toMatch(/>worse: worse in job\.p50/);
    expect(page.match(/, [^<]* \[[^<]* %\]<\/text>/g)?.length).toBeGreaterThan(3);
  });
});

describe("the published schemas", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const compiled = (name: string) => {
    const file = path.join(import.meta.dirname, "../../../schemas", name);
    return ajv.compile(JSON.parse(readFileSync(file, "utf8")) as object);
  };

  it.each([
    ["comparison.schema.json", reportOf(compared(1)), { verdict: "maybe" }],
    ["baseline.schema.json", EMPTY_BASELINE, { accepted: null }],
  ])("know what is written: %s", (name, value, wrong) => {
    const validate = compiled(name);
    const written = JSON.parse(JSON.stringify(value)) as object;
    expect(validate(written), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...written, ...wrong })).toBe(false);
  });
});
