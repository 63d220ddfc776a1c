/**
 * Draws a preview of each board from a Prometheus that has data, as PNG in three widths: layout,
 * titles and values are the board's, the drawing is ours.
 *
 * npm run boards:preview -- --prometheus URL [--minutes N] [--scrape SECONDS] [--out DIR]
 */

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../../../contract/text/thrown.ts";
import { boardsOf } from "../../../dashboards/boards/index.ts";
import type { Board } from "../../../dashboards/boards/panel.ts";
import { boardJson } from "../../../dashboards/grafana/board.ts";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { openBrowser } from "../../browser/open-browser.ts";
import type { Asked } from "./ask.ts";
import { answerTo } from "./ask.ts";
import type { Place, Placed } from "./page.ts";
import { boardPage } from "./page.ts";

/** A screen on a desk, a small laptop's, and a phone's. */
const WIDTHS = [1_920, 1_366, 390];

const { values } = parseArgs({
  options: {
    prometheus: { type: "string", default: "http://127.0.0.1:9090" },
    minutes: { type: "string", default: "60" },
    scrape: { type: "string", default: "15" },
    out: { type: "string", default: path.join(ROOT, "docs/images") },
  },
});

interface Json {
  panels: { type: string; title: string; gridPos: Place }[];
}

async function answered(board: Board, asked: Asked) {
  const json = JSON.parse(boardJson(board, DEFAULT_RULE_OPTIONS)) as Json;
  const rows = json.panels.filter(({ type }) => type === "row");
  const places = json.panels.filter(({ type }) => type !== "row");
  const panels = board.rows.flatMap((row) => row.panels);
  const placed: Placed[] = [];
  for (const [at, panel] of panels.entries()) {
    const place = places[at]?.gridPos ?? { x: 0, y: 0, w: 0, h: 0 };
    const queries = panel.queries.map(({ expr }) => answerTo(asked, panel, expr));
    placed.push({ panel, place, answers: await Promise.all(queries) });
  }
  return { placed, rows: rows.map(({ title, gridPos }) => ({ title, place: gridPos })) };
}

async function get<Data>(pathAndQuery: string): Promise<Data> {
  const response = await fetch(values.prometheus + pathAndQuery).catch((error: unknown) => {
    const expected = "expected one that scrapes a probe, by --prometheus URL";
    throw new Error(`no Prometheus answers at ${values.prometheus}; ${expected}`, { cause: error });
  });
  const answer = (await response.json()) as { status: string; data: Data; error?: string };
  if (answer.status === "success") return answer.data;
  throw new Error(`Prometheus refused ${pathAndQuery}: ${answer.error ?? response.status}`);
}

async function main(): Promise<void> {
  const toMs = Date.now();
  const fromMs = toMs - Number(values.minutes) * 60_000;
  const asked = { get, fromMs, toMs, scrapeSeconds: Number(values.scrape) };
  await mkdir(values.out, { recursive: true });
  await using browser = await openBrowser();
  const page = await browser.newPage();
  for (const board of boardsOf(DEFAULT_RULE_OPTIONS)) {
    const { placed, rows } = await answered(board, asked);
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 800 });
      await page.setContent(boardPage(board, placed, rows, { width, fromMs, toMs }));
      const file = path.join(values.out, `board-${board.id}-${width}.png`);
      await page.screenshot({ path: file as `${string}.png`, fullPage: true });
      process.stdout.write(`${file}\n`);
    }
  }
}

await main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
