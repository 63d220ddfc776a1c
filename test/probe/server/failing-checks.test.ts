/** What the status page says of the API checks, a round of them a minute. */

import { describe, expect, it } from "vitest";
import { API_CHECKS } from "../../../probe/events.ts";
import type { Outcome } from "../../../probe/outcome.ts";
import { boardOf, runOf, START_MS, settledEvent, show } from "./boards.ts";

const MINUTE_MS = 60_000;

/** A board half a minute after the last round; a round names the checks that fail. */
function boardAfter(
  rounds: readonly (readonly (typeof API_CHECKS)[number][])[],
  outcome: Outcome = "http_error",
) {
  let nowMs = START_MS;
  const board = boardOf(START_MS, () => nowMs);
  show(board, ["a"], 24 * 60 * MINUTE_MS);
  for (const failing of rounds) {
    for (const check of API_CHECKS) {
      const isWell = !failing.includes(check);
      const seen = isWell
        ? ({ outcome: "success", why: null } as const)
        : { outcome, why: "answered 503" };
      board.apply({ type: "api-check", check, ...seen, promises: [], atMs: nowMs });
    }
    nowMs += MINUTE_MS;
  }
  return board.view(nowMs - MINUTE_MS / 2, null);
}

const NONE = [] as const;
const ONE = ["credits"] as const;
const quiet = (rounds: number) => Array<typeof NONE>(rounds).fill(NONE);

it("what a check has seen broken is over after a good one of it, whatever runs say", () => {
  let nowMs = START_MS;
  const board = boardOf(START_MS, () => nowMs);
  show(board, ["a"], 24 * 60 * MINUTE_MS);
  const promise = "account.readable" as const;
  const seen = { type: "violation", run: null, check: "me", promise, atMs: nowMs } as const;
  board.apply({ ...seen, summary: "not JSON" });
  const check = { type: "api-check", check: "me", atMs: nowMs } as const;
  board.apply({ ...check, outcome: "wrong_result", why: "not JSON", promises: [promise] });
  nowMs += MINUTE_MS / 2;
  const run = runOf("a", 1);
  board.apply({ type: "run-started", run, atMs: nowMs });
  nowMs += 1_000;
  board.apply(settledEvent(run, nowMs));
  const broken = [expect.stringMatching(/^Broken promise account.readable: /)];
  expect(board.view(nowMs, null)).toMatchObject({
    problems: [{ cause: "checks", broken }],
    over: [],
  });
  nowMs += MINUTE_MS / 2;
  board.apply({ ...check, outcome: "success", why: null, promises: [] });
  expect(board.view(nowMs, null)).toMatchObject({
    problems: [],
    over: [{ cause: "checks", broken }],
  });
});

it("how the service refuses is no matter of runs that it does not refuse", () => {
  const board = boardOf(START_MS, () => START_MS);
  show(board, ["a"], 24 * 60 * MINUTE_MS);
  const promise = "rate.retry-after-present" as const;
  board.apply({ type: "violation", run: null, promise, summary: "none", atMs: START_MS });
  board.apply(settledEvent(runOf("a", 1), START_MS + 1_000, { submittedAtMs: START_MS + 1 }));
  expect(board.view(START_MS + MINUTE_MS, null).problems).toMatchObject([{ cause: promise }]);
  expect(board.view(START_MS + 10 * MINUTE_MS, null).problems).toEqual([]);
});

describe("API checks that fail", () => {
  it("are one problem in an outage, which names each endpoint", () => {
    const { problems } = boardAfter([NONE, API_CHECKS, API_CHECKS]);
    expect(problems).toMatchObject([
      { cause: "checks", title: "API checks fail", sinceMs: START_MS + MINUTE_MS, times: 8 },
    ]);
    expect(problems[0]?.details).toEqual([
      "GET /v1/me, /v1/me/credits, /v1/workers, /v1/jobs: answered 503",
    ]);
  });

  it("stand between good ones where one replica of three is broken", () => {
    const { problems } = boardAfter([ONE, NONE, NONE, ONE, NONE, NONE]);
    expect(problems).toMatchObject([
      { sinceMs: START_MS, times: 2, details: ["GET /v1/me/credits: answered 503 (not always)"] },
    ]);
    expect(boardAfter([ONE, NONE, NONE, ONE, ...quiet(11)]).problems).toEqual([]);
  });

  it("are over after a good one, which is shown for ten minutes", () => {
    const { problems, over } = boardAfter([ONE, ONE, NONE]);
    expect([problems, over.map(({ title, times }) => [title, times])]).toEqual([
      [],
      [["API checks fail", 2]],
    ]);
    expect(boardAfter([ONE, ONE, ...quiet(10)]).over).toEqual([]);
  });

  it("keep when they began, however long they last", () => {
    const { problems } = boardAfter(Array<typeof ONE>(90).fill(ONE));
    expect(problems).toMatchObject([{ sinceMs: START_MS, times: 90 }]);
  });

  it("are one problem with the runs of a key that is rejected", () => {
    const { problems } = boardAfter([API_CHECKS], "auth");
    expect(problems.map(({ cause, runbook }) => [cause, runbook])).toEqual([
      ["outcome.auth", "PlumblineKeyRejected"],
    ]);
  });
});

it("failures are dated by outcome, though no good check lies between", () => {
  let nowMs = START_MS;
  const board = boardOf(START_MS, () => nowMs);
  show(board, ["a"], 24 * 60 * MINUTE_MS);
  for (const outcome of ["http_error", "http_error", "auth", "auth", "auth"] as const) {
    const seen = { outcome, why: `it was ${outcome}`, promises: [] };
    board.apply({ type: "api-check", check: "me", ...seen, atMs: nowMs });
    nowMs += MINUTE_MS;
  }
  const outage = { cause: "checks", sinceMs: START_MS, times: 2 };
  const refused = { cause: "outcome.auth", sinceMs: START_MS + 2 * MINUTE_MS, times: 3 };
  expect(board.view(nowMs, null).problems).toMatchObject([outage, refused]);
  nowMs += 9 * MINUTE_MS;
  expect(board.view(nowMs, null).problems).toMatchObject([refused]);
  board.apply({
    ...{ type: "api-check", check: "me", atMs: nowMs },
    ...{ outcome: "success", why: null, promises: [] },
  });
  expect(board.view(nowMs, null).problems).toEqual([]);
});
