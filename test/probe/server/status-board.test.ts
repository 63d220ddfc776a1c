/** What the status page is told of canaries that come and go while the probe runs. */

import { expect, it } from "vitest";
import { pageState } from "../../../probe/server/status-page.ts";
import { boardOf, settledEvent, show } from "./boards.ts";

const HOUR_MS = 3_600_000;

it("a canary that a reload brings is not silent before it was there for so long", () => {
  let nowMs = 0;
  const board = boardOf(0, () => nowMs);
  show(board, ["old"]);
  nowMs = 5 * HOUR_MS;
  show(board, ["old", "new"]);
  const silent = { cause: "silent", title: "No run has had a verdict for too long", times: 1 };
  const alone = { ...silent, canaries: ["old"], sinceMs: 0 };
  expect(board.view(nowMs, null).problems).toMatchObject([alone]);
  expect(board.view(nowMs, null).problems[0]?.summary).toBe(
    "No run has had a verdict for too long (old); for 5 h",
  );
  expect(board.view(nowMs, null).unknown).toContain("new has no verdict yet");
  nowMs += HOUR_MS;
  const both = { ...silent, canaries: ["old", "new"], times: 2, sinceMs: 0 };
  expect(board.view(nowMs, null).problems).toMatchObject([both]);
});

it("only runs whose requests carried a trace have a link to one", () => {
  const url = "https://jaeger.example.com/trace/{traceId}";
  const board = boardOf(0, () => 0, { url });
  show(board, ["main"]);
  for (const traced of [false, true]) {
    const run = { runId: `traced-${traced}`, canary: "main", workerId: "echo", jobId: null };
    const { settled } = settledEvent(run, 0, { traced });
    board.apply({ type: "run-remembered", run, settled });
  }
  const [before, after] = board.view(0, null).canaries[0]?.runs ?? [];
  expect([before?.traceId, before?.traceUrl]).toEqual([undefined, undefined]);
  expect(after?.traceUrl).toBe(`https://jaeger.example.com/trace/${after?.traceId}`);
});

it("a canary is not silent right after its machine has slept", () => {
  let nowMs = 0;
  const board = boardOf(0, () => nowMs);
  show(board, ["a"]);
  nowMs = 3_600_000;
  expect(board.view(nowMs, null).problems).toMatchObject([{ cause: "silent" }]);
  board.apply({ type: "disturbance", sleptMs: nowMs, steppedMs: 0 });
  expect(board.view(nowMs + 60_000, null).problems).toMatchObject([{ cause: "suspended" }]);
  nowMs += 3_600_000;
  expect(board.view(nowMs, null).problems).toMatchObject([{ cause: "silent", sinceMs: 3_600_000 }]);
});

it("the page names the receiver's address, which later news of the receiver leave as it is", () => {
  const board = boardOf(0, () => 0);
  expect(pageState(board.view(0, null)).html).not.toContain("webhooks to");
  const url = "https://hooks.example.com";
  board.apply({ type: "receiver", listening: true, why: null, url });
  board.apply({ type: "receiver", listening: false, why: "the port is taken" });
  expect(board.view(0, null).receiverUrl).toBe(url);
  expect(pageState(board.view(0, null)).html).toContain(`webhooks to <b>${url}</b>`);
});

it("a problem of another day is dated, and one of today has its time alone", () => {
  const board = boardOf(0, () => 0);
  show(board, []);
  const since = "since 00:00:00 UTC";
  expect(pageState(board.view(HOUR_MS, null)).html).toContain(since);
  const { html } = pageState(board.view(30 * HOUR_MS, null));
  expect(html).toContain("since 1970-01-01 00:00:00 UTC (30 h)");
});
