/** The line in which the probe's requests wait for their share of the plan's rate. */

import { expect, it } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { Pacer } from "../../../probe/client/pacer.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { exchange } from "../../contract/judges/job/fixtures.ts";

const KEY = {
  name: "main",
  env: "KEY",
  state: "active",
  plan: null,
  sustained: 10,
  burst: 20,
  account: null,
} as const;

it("who can't wait takes no place from those who can", () => {
  const pacer = new Pacer(KEY, 0.1);
  expect(pacer.book(0, 0)).toBe(0);
  for (let asked = 0; asked < 5; asked += 1) expect(pacer.book(0, 999)).toBeNull();
  expect(pacer.book(0, 1_000)).toBe(1_000);
});

const answer = (retryAfter: string): Exchange => ({
  ...exchange({ status: 429, receivedAtMs: 1_000_000 }),
  headers: { "retry-after": retryAfter },
});

it.each([
  ["7", 7_000, 7_000],
  ["60", 60_000, 60_000],
  ["3600", 60_000, 3_600_000],
])(
  covers("a 429 that asks for %s s pauses for a minute at the most, and is told", "26 probe"),
  (told, pause, asked) => {
    const pacer = new Pacer(KEY, 0.1);
    pacer.heed(answer(told));
    expect(pacer.pausedUntilMs).toBe(1_000_000 + pause);
    expect(pacer.askedMs).toBe(asked);
  },
);
