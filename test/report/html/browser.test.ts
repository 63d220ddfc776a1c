/** The page in a real browser: every plot, on a desk, a telephone and paper, light and dark. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderHtml } from "../../../report/html/render-html.ts";
import { openBrowser, START_MS } from "../../browser/open-browser.ts";
import { plantedCapacity, plantedComparison } from "./planted.ts";
import { realRun } from "./real-run.ts";

/** Ours: letters of 12 px may be shrunk to this, which is still read without a glass. */
const LETTER_PX_MIN = 8;

const PLOTS = ["rate-1", "rate-5", "transitions-1", "timeout-1", "webhook-1", "load-1"];
const FOUND = ["capacity-1", "comparison-1"];

let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;
let folder = "";
/** Everything that the page asked for, or the browser complained of. */
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-html-"));
  const file = path.join(folder, "report.html");
  const found = { capacities: [plantedCapacity()], comparisons: [plantedComparison()] };
  await writeFile(file, renderHtml({ runs: [realRun()], ...found }));
  browser = await openBrowser();
  page = await browser.newPage();
  page.on("request", (request) => void asked.push(request.url()));
  page.on("console", (message) => void asked.push(message.text()));
  await page.goto(pathToFileURL(file).href, { timeout: START_MS });
}, 2 * START_MS);
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

interface Look {
  width: number;
  scheme?: "light" | "dark";
  media?: "screen" | "print";
}

async function look({ width, scheme = "light", media = "screen" }: Look): Promise<void> {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.emulateMediaType(media);
  await page.setViewport({ width, height: 900 });
}

/** Of each picture that is shown: how large its letters are, and what is said of it. */
function pictures(id: string) {
  return page.$$eval(`#${id} svg`, (all) =>
    all.flatMap((svg) => {
      const { width, height } = svg.getBoundingClientRect();
      if (width === 0 || height === 0) return [];
      const letters = 12 * (width / Number(svg.getAttribute("width")));
      const marks = svg.querySelectorAll("path, rect, circle, line").length;
      return [{ width, letters, marks, label: svg.getAttribute("aria-label") ?? "" }];
    }),
  );
}

function overflow(): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth") as Promise<number>;
}

describe("the page in a browser", () => {
  it("asks for nothing but itself", async () => {
    expect(asked.filter((each) => !each.startsWith("data:"))).toEqual([page.url()]);
  });

  it.each([390, 820, 1_366, 1_920])("fits into %d pixels, each plot to be read", async (width) => {
    await look({ width });
    expect(await overflow()).toBeLessThanOrEqual(0);
    for (const id of [...PLOTS, ...FOUND]) {
      const shown = await pictures(id);
      expect(shown.length, id).toBeGreaterThan(0);
      for (const { letters, marks, label, width: drawn } of shown) {
        expect(letters, id).toBeGreaterThan(LETTER_PX_MIN);
        expect(marks, id).toBeGreaterThan(4);
        expect(label.length, id).toBeGreaterThan(20);
        expect(drawn, id).toBeLessThanOrEqual(width);
      }
    }
  });

  it.each([...PLOTS, ...FOUND])("has a table behind %s", async (id) => {
    await page.click(`#${id} summary`);
    const rows = await page.$$eval(`#${id} tbody tr`, (all) =>
      all.filter((row) => row.getBoundingClientRect().height > 0),
    );
    expect(rows.length).toBeGreaterThan(3);
    await page.click(`#${id} summary`);
  });

  it("rings each attempt that its table calls off", async () => {
    await look({ width: 1_366 });
    const off = await page.$$eval("#webhook-1 tbody tr", (rows) =>
      rows.filter((row) => /early|late|unasked/.test(row.lastElementChild?.textContent ?? "")),
    );
    const rings = await page.$$(`#webhook-1 svg.wide circle[r="8"]`);
    expect(off.length).toBeGreaterThan(0);
    expect(rings.length).toBe(off.length);
  });

  it("shows the pictures of a broken promise with it", async () => {
    const owners = await page.$$eval(".promise.broken figure", (all) =>
      all.map((figure) => `${figure.closest(".promise")?.id} ${figure.id}`),
    );
    expect(owners).toContain("promise-webhook.wait-2 webhook-1");
    expect(owners).toContain("promise-timeout.not-late timeout-1");
    expect(owners).toContain("promise-job.forward-only transitions-1");
  });

  it.each(["light", "dark"] as const)("is accessible in %s", async (scheme) => {
    await look({ width: 1_366, scheme });
    const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await page.evaluate(await readFile(source, "utf8"));
    const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as {
      id: string;
      nodes: { html: string }[];
    }[];
    expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
  });

  it("is printed light, with all plots, and without what paper can't do", async () => {
    await look({ width: 700, scheme: "dark", media: "print" });
    const colors = await page.evaluate(
      "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
    );
    expect(colors).toEqual(["rgb(255, 255, 255)", "rgb(27, 31, 36)"]);
    for (const id of PLOTS) expect((await pictures(id)).length, id).toBeGreaterThan(0);
    expect(
      await page.$$eval("nav, .data", (all) => all.filter((each) => each.checkVisibility())),
    ).toEqual([]);
  });
});
