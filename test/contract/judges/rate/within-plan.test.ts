/** What a key gets that stays within its plan. */

import { describe, expect, it } from "vitest";
import { withinPlanClaim } from "../../../../contract/judges/rate/within-plan.ts";
import { judged } from "./judged.ts";
import { exchangeAt, FREE, PRO, simulateTrial } from "./simulated-trial.ts";

function evenMs(perSecond: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => ((n + 1) * 1_000) / perSecond);
}

describe("below the plan", () => {
  it("one 429 breaks rate.within-plan", () => {
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const shots = [...(trial.below?.shots ?? [])];
    shots[15] = exchangeAt(shots[15]?.sentAtMs ?? 0, 429, { "retry-after": "1" });
    const below = { offeredPerSecond: 9.5, shots };
    expect(judged(withinPlanClaim, { ...trial, below }).verdict).toBe("broken");
  });

  it("a 429 is in doubt where requests were held up and may have come in a burst", () => {
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const firstMs = trial.below?.shots[0]?.sentAtMs ?? 0;
    const shots = (trial.below?.shots ?? []).map((shot) => {
      return { ...shot, receivedAtMs: Math.max(shot.receivedAtMs, firstMs + 1_500) };
    });
    shots[20] = exchangeAt(shots[20]?.sentAtMs ?? 0, 429);
    const below = { offeredPerSecond: 9.5, shots };
    expect(judged(withinPlanClaim, { ...trial, below }).verdict).toBe("inconclusive");
  });

  it("a way that was shut for a while is no limiter that held requests back", () => {
    const shut = { fromMs: 4_400, toMs: 5_050 };
    const admitted: number[] = [];
    const shots = [...Array(100).fill(0), ...evenMs(47.5, 480)].map((sentAtMs) => {
      const isShut = sentAtMs > shut.fromMs && sentAtMs < shut.toMs;
      const cameAtMs = isShut ? shut.toMs : sentAtMs;
      const isFull = admitted.filter((ms) => ms > cameAtMs - 2_000).length >= PRO.burst;
      if (!isFull) admitted.push(cameAtMs);
      return { ...exchangeAt(sentAtMs, isFull ? 429 : 200), receivedAtMs: cameAtMs + 5 };
    });
    const trial = simulateTrial({ kind: "sliding-log", actual: PRO, promised: PRO });
    const below = { offeredPerSecond: 47.5, steadyFromMs: 4_600, shots };
    const found = judged(withinPlanClaim, { ...trial, below });
    expect(found.verdict).toBe("inconclusive");
    expect(found.reason).toContain("may have come closer together");
  });

  it("answers that take 400 ms are not a generator that reached too little", () => {
    const shots = Array.from({ length: 30 }, (_, n) => {
      const shot = exchangeAt((n * 1_000) / 47.5, 200);
      return { ...shot, receivedAtMs: shot.sentAtMs + 400 };
    });
    const trial = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
    const found = judged(withinPlanClaim, { ...trial, below: { offeredPerSecond: 47.5, shots } });
    expect(found.verdict).toBe("kept");
    expect(found.summary).toContain("47.5/s");
  });

  it("a generator that reached too little is inconclusive", () => {
    const shots = [0, 1, 2, 3].map((second) => exchangeAt(second * 1_000, 200));
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const below = { offeredPerSecond: 9.5, shots };
    expect(judged(withinPlanClaim, { ...trial, below }).verdict).toBe("inconclusive");
  });

  it("a key that nothing was sent with sent nothing a second", () => {
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const below = { offeredPerSecond: 9.5, shots: [] };
    const { evidence } = judged(withinPlanClaim, { ...trial, below });
    expect(evidence).toMatchObject({ [trial.key]: { requests: 0, perSecond: 0 } });
  });

  it.each([
    ["stood still at the end of it", 25, "inconclusive"],
    ["kept its pace", 285, "kept"],
  ])("a generator that %s has sent %i requests in 6 s", (_, count, verdict) => {
    const shots = evenMs(47.5, count).map((sentAtMs) => exchangeAt(sentAtMs, 200));
    const trial = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
    const below = { offeredPerSecond: 47.5, steadyMs: 6_000, shots };
    expect(judged(withinPlanClaim, { ...trial, below }).verdict).toBe(verdict);
  });
});
