/** When a canary's next run is, in the words of its row. */

import { expect, it } from "vitest";
import { StatusBoard } from "../../../probe/server/status-board.ts";
import { pageState } from "../../../probe/server/status-page.ts";
import type { Pause } from "../../../probe/server/view.ts";
import { canaryView, runView, statusView } from "./status-view.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 1, 3, 0, 0);

/** The row's last cell, 4 s before the canary's next tick. */
function nowCell(pause: Pause | null): readonly string[] {
  const canaries = [canaryView({ nextDueMs: NOW_MS + 4_000 })];
  const { html } = pageState(statusView({ nowMs: NOW_MS, canaries, pause }));
  const list = /<ul class="now">(.*?)<\/ul>/.exec(html)?.[1] ?? "";
  return [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, text = ""]) => text);
}

it("a run that falls due in a pause is not said to be next", () => {
  expect(nowCell({ untilMs: NOW_MS + 60_000, askedMs: 600_000 })).toEqual([
    "none in flight",
    "paused until 03:01:00 UTC",
    "a 429 asked for a wait of 10 min (Retry-After)",
  ]);
  expect(nowCell({ untilMs: NOW_MS + 5_000, askedMs: null })).toEqual([
    "none in flight",
    "paused until 03:00:05 UTC",
    "a 429 without a usable Retry-After",
  ]);
});

it("one that falls due later is", () => {
  expect(nowCell(null)).toEqual(["none in flight", "next in 4 s"]);
  const short = { untilMs: NOW_MS + 1_000, askedMs: 1_000 };
  expect(nowCell(short)).toEqual(["none in flight", "next in 4 s"]);
});

it("a bar names the day of a run that is not of today, and the page its own", () => {
  const runs = [3, 21].map((hours) => runView({ submittedAtMs: NOW_MS - hours * HOUR_MS }));
  const { html } = pageState(statusView({ nowMs: NOW_MS, canaries: [canaryView({ runs })] }));
  const titles = [...html.matchAll(/<title>(.*) UTC, /g)].map(([, text]) => text);
  expect(titles).toEqual(["00:00:00", "2025-12-31 06:00:00"]);
  expect(html).toMatch(/as of <time [^>]*>2026-01-01 03:00:00<\/time> UTC/);
});

it("a pause that is over is none", () => {
  const facts = { startedAtMs: 0, location: "here", baseUrl: "http://service", version: "0" };
  const board = new StatusBoard(facts, () => NOW_MS, null);
  const pause = { untilMs: NOW_MS, askedMs: 5_000 };
  expect(board.view(NOW_MS - 1, pause).pause).toEqual(pause);
  expect(board.view(NOW_MS, pause).pause).toBeNull();
});
