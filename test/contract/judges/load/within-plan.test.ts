/** A 429 met in a soak speaks of the plan only where no lawful limiter can have meant it. */

import { describe, expect, it } from "vitest";
import {
  countAnswer,
  newKeyWatch,
  PLAN_REFUSALS,
  pacedWithinPlanClaim,
  watchRequest,
} from "../../../../contract/judges/load/within-plan.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { answer, T0 } from "../answers.ts";

/** A window of two seconds. */
const PLAN = { sustained: 50, burst: 100 };

interface Given {
  limit?: typeof PLAN | null;
  perSecond?: number;
  seconds?: number;
  /** Of each answer. */
  tookMs?: number;
  /** Number of the request that is answered 429; none when left out. */
  refused?: number;
  /** Requests at once, half a second before the refused one. */
  burst?: number;
}

function findingOf(given: Given) {
  const { limit = PLAN, perSecond = 30, seconds = 10, tookMs = 5, refused, burst = 0 } = given;
  const watch = newKeyWatch(limit);
  const refusals = PLAN_REFUSALS.empty();
  const gapMs = 1_000 / perSecond;
  const ask = (sentAtMs: number, status: number) => {
    const passage = watchRequest(watch, sentAtMs);
    passage.receivedAtMs = sentAtMs + tookMs;
    const times = { sentAtMs, receivedAtMs: passage.receivedAtMs };
    countAnswer(refusals, watch, answer(status, times));
  };
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const sentAtMs = T0 + n * gapMs;
    if (refused !== undefined && n === Math.round(refused - perSecond / 2)) {
      for (let more = 0; more < burst; more += 1) ask(sentAtMs, 200);
    }
    ask(sentAtMs, n === refused ? 429 : 200);
  }
  const claim = pacedWithinPlanClaim(refusals, "the soak");
  return claim === null ? null : decide(claim);
}

describe("pacedWithinPlanClaim", () => {
  it("says nothing where no request was refused", () => {
    expect(findingOf({})).toBeNull();
  });

  it("says nothing of a key without a declared plan", () => {
    expect(findingOf({ limit: null, refused: 200 })).toBeNull();
  });

  it.each([
    ["one 429 at an even 0.6 of the plan", { refused: 200 }, "broken"],
    ["hours later, too", { refused: 100_000, seconds: 3_400 }, "broken"],
    ["a 429 before two windows have passed", { refused: 100 }, "inconclusive"],
    ["a 429 after a burst", { refused: 200, burst: 60 }, "inconclusive"],
    ["a 429 among answers of two seconds", { refused: 200, tookMs: 2_000 }, "inconclusive"],
    // A counter that weighs the last window lets half of the burst in before, and half after.
    ["a 429 at the plan's own pace", { refused: 400, perSecond: 50 }, "inconclusive"],
  ] as const)("%s", (_, given, verdict) => {
    expect(findingOf(given)?.verdict).toBe(verdict);
  });

  it("counts and quotes what it met", () => {
    const finding = findingOf({ refused: 200 });
    expect(finding?.summary).toMatch(/^1 of 300 requests of the soak got 429/);
    expect(finding?.observations[0]?.answer).toBe("429");
  });
});
