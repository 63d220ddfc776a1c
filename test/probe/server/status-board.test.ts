/** What the status page is told of canaries that come and go while the probe runs. */

import { expect, it } from "vitest";
import type { Canary } from "../../../probe/canary/canary.ts";
import { StatusBoard } from "../../../probe/server/status-board.ts";

const HOUR_MS = 3_600_000;
const LINKS = { runbook: null, dashboard: null };

function canaryOf(name: string): Canary {
  const worker = { part: "success", workerId: "echo", input: {}, marker: null } as const;
  const times = { everyMs: 60_000, jitterShare: 0, deadlineMs: 60_000 };
  return { name, ...worker, ...times, webhook: false, expected: "completed", overlapMax: 3 };
}

it("a canary that a reload brings is not silent before it was there for so long", () => {
  let nowMs = 0;
  const facts = { startedAtMs: 0, location: "here", baseUrl: "http://service", version: "0" };
  const board = new StatusBoard(facts, () => nowMs);
  board.show([canaryOf("old")], LINKS);
  nowMs = 5 * HOUR_MS;
  board.show([canaryOf("old"), canaryOf("new")], LINKS);
  const silent = { cause: "silent", title: "No run has had a verdict for too long", times: 1 };
  const alone = { ...silent, canaries: ["old"], sinceMs: 0 };
  expect(board.view(nowMs).problems).toMatchObject([alone]);
  expect(board.view(nowMs).problems[0]?.summary).toBe(
    "No run has had a verdict for too long (old); for 5 h",
  );
  expect(board.view(nowMs).unknown).toContain("new has no verdict yet");
  nowMs += HOUR_MS;
  const both = { ...silent, canaries: ["old", "new"], times: 2, sinceMs: 0 };
  expect(board.view(nowMs).problems).toMatchObject([both]);
});

it("only runs whose requests carried a trace have a link to one", () => {
  const facts = { startedAtMs: 0, location: "here", baseUrl: "http://service", version: "0" };
  const url = "https://jaeger.example.com/trace/{traceId}";
  const board = new StatusBoard(facts, () => 0, { url });
  board.show([canaryOf("main")], LINKS);
  for (const traced of [false, true]) {
    const run = { runId: `traced-${traced}`, canary: "main", workerId: "echo", jobId: null };
    const times = { submittedAtMs: 0, settledAtMs: 0, duration: null, timed: true, traced };
    const ended = { outcome: "success", why: "the job completed", end: "completed" } as const;
    const rest = { seen: [], stays: [], cost: { credits: 0, usd: 0 } };
    board.apply({ type: "run-remembered", run, settled: { ...ended, ...times, ...rest } });
  }
  const [before, after] = board.view(0).canaries[0]?.runs ?? [];
  expect([before?.traceId, before?.traceUrl]).toEqual([undefined, undefined]);
  expect(after?.traceUrl).toBe(`https://jaeger.example.com/trace/${after?.traceId}`);
});
