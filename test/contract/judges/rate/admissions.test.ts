/** What all reads of a key got in any span of time, by limiters of every kind. */

import { expect, it } from "vitest";
import { readsOf } from "../../../../contract/judges/rate/admissions.ts";
import { burstClaim } from "../../../../contract/judges/rate/burst.ts";
import { sustainedClaim } from "../../../../contract/judges/rate/sustained.ts";
import { judged } from "./judged.ts";
import { exchangeAt, FREE, PRO, simulateTrial } from "./simulated-trial.ts";

it("a bucket 15 % too fast breaks rate.sustained, and says from when on", () => {
  const actual = { sustained: 57.5, burst: 100 };
  const trial = simulateTrial({ kind: "token-bucket", actual, promised: PRO });
  const { verdict, summary } = judged(sustainedClaim, trial);
  expect(verdict).toBe("broken");
  expect(summary).toMatch(/ requests admitted in [\d.]+ s from \d{4}-.*Z on; 50\/s and /);
});

it("a burst that is 5 too long breaks rate.burst", () => {
  const actual = { sustained: 10, burst: 25 };
  const { verdict, summary } = judged(
    burstClaim,
    simulateTrial({ kind: "token-bucket", actual, promised: FREE }),
  );
  expect(verdict).toBe("broken");
  expect(summary).toMatch(/ requests admitted in [\d.]+ s from /);
});

it("a bucket that is whole again after a second's rest breaks rate.sustained", () => {
  const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const returns = Array.from({ length: 6 }, (_, round) => {
    const startMs = 9_000_000 + round * 1_100;
    const admitted = Array.from({ length: 20 }, () => exchangeAt(startMs, 200));
    const refusal = exchangeAt(startMs + 5, 429, { "retry-after": "1" });
    const probe = exchangeAt(startMs + 1_008, 200);
    return { exhaustedBy: [...admitted, refusal], refusal, toldMs: 1_000, waitedMs: 1_001, probe };
  });
  expect(judged(sustainedClaim, { ...trial, returns }).verdict).toBe("broken");
});

it("a burst that stands in two phases is counted once", () => {
  const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const endpoints = trial.volleys.map(({ shots }) => ({ exhaustedBy: shots, shots: [] }));
  expect(readsOf({ ...trial, endpoints })).toHaveLength(readsOf(trial).length);
});

it("what an endpoint without a limit answers is no allowance that comes back", () => {
  const limits = { kind: "fixed-window", actual: PRO, promised: PRO } as const;
  const trial = simulateTrial(limits);
  const [read] = trial.volleys[0]?.shots ?? [];
  if (read === undefined) throw new Error("no burst");
  const unknown = { ...read, route: "submit", status: 404 } as const;
  const below = { offeredPerSecond: 47.5, shots: [read, unknown] };
  const reads = readsOf({ ...trial, below });
  expect(reads).toContain(read);
  expect(reads).not.toContain(unknown);
});
