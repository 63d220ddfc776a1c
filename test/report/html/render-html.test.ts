/** The page as text: asks for nothing, runs nothing, stays small, and leaves nothing out. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { NO_SERIES } from "../../../contract/run/series.ts";
import { unobserved } from "../../../contract/verdict.ts";
import { buildReport } from "../../../report/build-report.ts";
import { renderHtml } from "../../../report/html/render-html.ts";
import type { Report } from "../../../report/model.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "../fixtures.ts";
import { plantedCapacity, plantedComparison } from "./planted.ts";
import { realRun } from "./real-run.ts";

/** A mail server refuses more, and a reader waits for it. */
const BYTES_MAX = 1_000_000;

/** The longest lists that a run of any length leaves. */
function longRun(): Report {
  const report = realRun();
  const points = 300;
  const wave = (size: number) =>
    Array.from({ length: points }, (_, at) => size * (1.1 + Math.sin(at / 7)));
  const [rate] = report.series.rate;
  const [load] = report.series.load;
  const [webhook] = report.series.webhook;
  if (!rate || !load || !webhook) throw new Error("the real run lacks a series");
  const lists = Object.keys(load).filter((name) => Array.isArray(load[name as keyof typeof load]));
  const waves = Object.fromEntries(lists.map((name, at) => [name, wave(1 + 13.37 * at)]));
  const attempts = Array.from({ length: 10 }, (_, at) => {
    return { atMs: at * 7_001.5, answer: "500", answeredAtMs: at * 7_001.5 + 1 };
  });
  const job = { kind: "ladder", jobId: "j", attempts, watchedUntilMs: 600_000 };
  report.series.rate = Array.from({ length: 9 }, () => rate);
  report.series.load = [{ ...load, ...waves, stepSeconds: 12, offerSeconds: 3_600 }];
  report.series.webhook = [{ ...webhook, jobs: Array.from({ length: 40 }, () => job) }];
  return report;
}

/** Elements and attributes that could ask for something, or run. */
const FORBIDDEN = /<(script|link(?! rel="icon" href="data:,")|img|iframe|object)|\s(on\w+|src)=/i;

describe("the page", () => {
  const page = renderHtml({ runs: [realRun()] });

  it("runs no script and asks for nothing", () => {
    expect(page).not.toMatch(FORBIDDEN);
    expect(page.match(/(href|url)[=(]"?(?!#|data:,)[^"]+/g)).toBeNull();
    expect(page).not.toContain("@import");
  });

  it("stays below a megabyte after an hour's soak at the most of everything", () => {
    expect(Buffer.byteLength(renderHtml({ runs: [longRun()] }))).toBeLessThan(BYTES_MAX);
  });

  it("has each promise, with its verdict as a word", () => {
    for (const { id } of realRun().promises) expect(page).toContain(`<code>${id}</code>`);
    expect(page.match(/<span aria-hidden="true">✗<\/span> broken/g)?.length).toBeGreaterThan(4);
  });

  it("shows the broken before what was measured", () => {
    const places = ['id="broken"', 'id="inconclusive"', 'id="measured"', 'id="promises"'];
    const found = places.map((place) => page.indexOf(place));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found[0]).toBeGreaterThan(0);
  });

  it("leads each § to the interface's own words, which it quotes", () => {
    const file = path.join(ROOT, "docs/interface.md");
    const run = realRun();
    const text = renderHtml({ runs: [run], interfaceText: readFileSync(file, "utf8") });
    const shown = run.promises.filter(({ verdict }) => /broken|inconclusive/.test(verdict));
    expect(shown.length).toBeGreaterThan(4);
    for (const { section } of shown) expect(text).toContain(`<a href="#s${section}">§${section}`);
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target = ""]) => target);
    const dead = targets.filter((target) => text.split(`id="${target}"`).length !== 2);
    expect(dead).toEqual([]);
    expect(text).not.toMatch(FORBIDDEN);
    expect(text.match(/(href|url)[=(]"?(?!#|data:,)[^"]+/g)).toBeNull();
  });

  it("quotes nothing where nothing is broken or in doubt", () => {
    const healthy = renderHtml({ runs: [buildReport(healthyResult())], interfaceText: "x" });
    expect(healthy).not.toContain('id="interface"');
  });

  it("takes what a service answered for text", () => {
    const attack = `</style></title><script>alert(1)</script><img src=x onerror="alert(1)">`;
    const [quote] = BROKEN_WAIT.observations;
    if (quote === undefined) throw new Error("the fixture quotes nothing");
    const observations = [{ ...quote, body: attack, request: attack, headers: { date: attack } }];
    const finding = {
      ...BROKEN_WAIT,
      summary: attack,
      evidence: { [attack]: attack },
      observations,
    };
    const notes = [attack];
    const target = { baseUrl: attack, timeScale: 1, embedded: false, variant: null };
    const result = healthyResult({ findings: findingsWith(finding), notes, target });
    expect(renderHtml({ runs: [buildReport(result)] })).not.toMatch(/<(script|img)/i);
  });

  it("draws nothing where nothing was seen over time, as in reports of earlier versions", () => {
    const result = healthyResult({ series: NO_SERIES });
    const empty = renderHtml({ runs: [buildReport(result)] });
    expect(empty).not.toContain("<svg");
    expect(empty).toContain("PASS");
  });

  it("misses no retry after an answer 200 whose body came slowly", () => {
    const run = realRun();
    const [webhook] = run.series.webhook;
    if (!webhook) throw new Error("the real run lacks a series");
    const attempts = [
      { atMs: 0, answer: "503~200", answeredAtMs: 1 },
      { atMs: webhook.rungs[0]?.waitMs ?? 0, answer: "200~200", answeredAtMs: 5_001 },
    ];
    const job = { kind: "recovery", jobId: "j", attempts, watchedUntilMs: 600_000 };
    run.series.webhook = [{ ...webhook, jobs: [job] }];
    const said = "1 retry of 1 job: 0 outside their interval, 0 that never came.";
    expect(renderHtml({ runs: [run] })).toContain(said);
  });

  it("tells why promises were not observed", () => {
    const findings = findingsWith(unobserved("auth.revoked-key", "no revoked key is there"));
    const text = renderHtml({ runs: [buildReport(healthyResult({ findings }))] });
    expect(text).toContain("no revoked key is there");
  });
});

describe("several runs", () => {
  const healthy = buildReport(healthyResult());
  const page = renderHtml({ runs: [realRun(), healthy] });

  it("are shown with their differences first", () => {
    const [before = "", matrix = ""] = page.split('id="different"');
    expect(before).toContain("2 runs side by side");
    expect(matrix.slice(0, matrix.indexOf("</section>"))).toContain("<code>webhook.wait-2</code>");
    expect(matrix.slice(0, matrix.indexOf("</section>"))).not.toContain("auth.missing-key");
  });

  it("say so when they do not differ", () => {
    const same = renderHtml({ runs: [healthy, healthy, healthy] });
    expect(same).toContain("Every promise has the same verdict in all 3 runs.");
  });
});

describe("what other commands find", () => {
  it("is a page of its own without a run", () => {
    const page = renderHtml({ capacities: [plantedCapacity()] });
    expect(page).toContain("<title>Plumbline: Capacity</title>");
    expect(page).toContain("https://api.example.com, 2026-11-29 10:32 UTC, in jobs");
    expect(page).toContain(
      "; the queue gives way first; queue: the backlog grew by 1.9 jobs a second; note: jobs took",
    );
    expect(page).not.toContain('id="comparison"');
  });

  it("is told in words where there is nothing to draw", () => {
    const { metrics, ...comparison } = plantedComparison();
    const untold = metrics.filter(({ change }) => change === null);
    const page = renderHtml({ comparisons: [{ ...comparison, metrics: untold }] });
    expect(page).not.toContain("<svg");
    expect(page).toContain("can&#39;t tell: a block has 61 jobs, a p99 needs 100");
  });
});
