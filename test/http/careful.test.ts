/** The suite's own requests keep to a pace, and ask again only where an answer says nothing. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Care } from "../../http/careful.ts";
import { careful } from "../../http/careful.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";

const CARE: Care = {
  perSecond: 10,
  attemptsMax: 3,
  saysNothing: ({ status }) => status === 429,
  waitMs: 1_000,
  waitMsMax: 10_000,
};

const OK: Exchange = {
  method: "GET",
  route: "me",
  path: "/v1/me",
  key: "main",
  requestBody: null,
  status: 200,
  headers: {},
  body: "{}",
  error: null,
  sentAtMs: 0,
  receivedAtMs: 0,
};
const limited = (after?: string): Exchange => {
  return { ...OK, status: 429, headers: after === undefined ? {} : { "retry-after": after } };
};

/** The times at which these answers were asked for, in ms, and what came back. */
async function asked(answers: readonly Exchange[], calls = 1) {
  const clock = new VirtualClock(0);
  const time = { nowMs: () => clock.nowMs(), sleep: (ms: number) => clock.sleep(ms) };
  const send = careful(CARE, time, new AbortController().signal);
  const times: number[] = [];
  const next = async () => {
    times.push(clock.nowMs());
    return answers[times.length - 1] ?? OK;
  };
  const all = Promise.all(Array.from({ length: calls }, () => send(next)));
  return { statuses: (await clock.run(all, 600_000)).map(({ status }) => status), times };
}

describe("a careful caller", () => {
  it("keeps to its pace", async () => {
    expect(await asked([], 4)).toEqual({
      statuses: [200, 200, 200, 200],
      times: [0, 100, 200, 300],
    });
  });

  it.each([
    ["waits as long as it is told", [limited("3")], [0, 3_000], 200],
    ["waits a while where it is told nothing", [limited()], [0, 1_000], 200],
    ["leaves alone who asks for too much", [limited("11")], [0], 429],
    ["asks so often and not again", [1, 1, 1, 1].map((n) => limited(`${n}`)), [0, 1e3, 2e3], 429],
  ] as const)("%s", async (_, answers, times, status) => {
    expect(await asked(answers)).toEqual({ statuses: [status], times });
  });
});
