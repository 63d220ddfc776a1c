/** Limiters whose tokens come back in steps: what an overload tells of them, and excuses. */

import { describe, expect, it } from "vitest";
import { burstClaim } from "../../../../contract/judges/rate/burst.ts";
import { estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import {
  longestSteps,
  moreInAll,
  refillIn,
  runsIn,
} from "../../../../contract/judges/rate/refill.ts";
import type { Burst, SteadyPhase } from "../../../../contract/judges/rate/trial.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { judged, judgedRests } from "./judged.ts";
import type { Deployment } from "./simulated-trial.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

const refillOf = (deployment: Partial<Deployment>) => {
  const trial = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO, ...deployment });
  return trial.drain === null ? null : estimateLimiter(trial.drain, trial.limit).refill;
};

describe("a refill in steps", () => {
  it.each([
    ["fast-ticking-bucket", PRO, 5, 100],
    ["ticking-bucket", PRO, 50, 1_000],
    ["ticking-bucket", FREE, 10, 1_000],
  ] as const)("is told of a %s of %j", (kind, limit, size, everyMs) => {
    const refill = refillOf({ kind, actual: limit, promised: limit });
    expect(refill?.size).toBeCloseTo(size, 0);
    expect(refill?.everyMs).toBeCloseTo(everyMs, -2);
  });

  it("is told where answers come unevenly, and refusals are held back", () => {
    for (const kind of ["fast-ticking-bucket", "ticking-bucket"] as const) {
      const { drain } = simulateTrial({ kind, actual: PRO, promised: PRO });
      const overload = (drain?.press ?? []).map((shot, n) => {
        const laterMs = shot.status === 429 ? (n * 37) % 400 : (n * 7) % 9;
        return { ...shot, receivedAtMs: shot.receivedAtMs + laterMs };
      });
      expect(refillIn(overload, PRO)?.size).toBeCloseTo(kind === "ticking-bucket" ? 50 : 5, 0);
    }
  });

  it("is one run, though a request sent amid it was long on its way and was refused", () => {
    const { drain } = simulateTrial({ kind: "ticking-bucket", actual: PRO, promised: PRO });
    const overload = drain?.press ?? [];
    const last = runsIn(overload).at(-1) ?? [];
    const amid = last[Math.floor(last.length / 2)]?.sentAtMs ?? 0;
    const late = { ...exchangeAt(amid + 1, 429), receivedAtMs: amid + 400 };
    const lengthsOf = (shots: typeof overload) => runsIn(shots).map(({ length }) => length);
    expect(last.length).toBeGreaterThan(10);
    expect(lengthsOf([...overload, late])).toEqual(lengthsOf(overload));
  });

  it("is not told of a log that slides, where its burst came in two parts", () => {
    const { drain } = simulateTrial({ kind: "sliding-log", actual: PRO, promised: PRO });
    const overload = drain?.press ?? [];
    const startMs = Math.min(...overload.map(({ sentAtMs }) => sentAtMs));
    const inTwoParts = overload.map((shot) => {
      const phaseMs = (shot.sentAtMs - startMs) % 2_000;
      const isAdmitted = phaseMs < 400 || (phaseMs >= 600 && phaseMs < 1_000);
      return { ...shot, status: isAdmitted ? 200 : 429 };
    });
    expect(refillIn(inTwoParts, PRO)).toBeNull();
  });

  it.each(KINDS.filter((kind) => kind !== "fast-ticking-bucket"))("is not seen of a %s", (kind) => {
    for (let seed = 1; seed <= 25; seed++) expect(refillOf({ kind, seed })).toBeNull();
  });
});

/** As many of 120 requests at once get through in each burst, the last answer after so long. */
function burstsOf(counts: readonly number[], tookMs: number): readonly Burst[] {
  return counts.map((count, at) => {
    const shots = Array.from({ length: 120 }, (_, n) => ({
      ...exchangeAt(at * 5_000, n < count ? 200 : 429),
      receivedAtMs: at * 5_000 + tookMs,
    }));
    return { restedMs: 4_600, shots };
  });
}

describe("bursts of a bucket that gets 5 back at once", () => {
  const found = (counts: readonly number[], tookMs: number) => {
    const trial = simulateTrial({ kind: "fast-ticking-bucket", actual: PRO, promised: PRO });
    return judged(burstClaim, { ...trial, volleys: burstsOf(counts, tookMs) });
  };

  it("may exceed the plan by what came back early in each of them", () => {
    expect(found([105, 105, 105], 30)).toMatchObject({ verdict: "kept" });
  });

  it.each([
    ["by more than that", [109, 109, 109], 30],
    ["in answers so quick that a step is sure to have missed one of them", [103, 103, 103], 4],
  ] as const)("break rate.burst if they exceed it %s", (_, counts, tookMs) => {
    expect(found(counts, tookMs)).toMatchObject({ verdict: "broken" });
  });
});

it("what was sent in the millisecond of a refusal was not sent after it", () => {
  const shots = Array.from({ length: 12 }, (_, step) => [
    { ...exchangeAt(100 * step, 200), receivedAtMs: 100 * step },
    { ...exchangeAt(100 * step + 50, 429), receivedAtMs: 100 * step + 50 },
  ]).flat();
  const beside = { ...exchangeAt(350, 200), receivedAtMs: 350 };
  expect(longestSteps([...shots, beside], PRO)).toEqual(longestSteps(shots, PRO));
});

describe("bursts of a bucket whose overload is refused altogether, as refusals count", () => {
  const promised = { actual: PRO, promised: PRO, refusedCount: true } as const;

  /** A little beyond the plan, after most of a full burst at once, until all is refused. */
  const evenly = (kind: Deployment["kind"]): SteadyPhase => {
    const limiter = createLimiter(kind, { ...PRO, refusedCount: true });
    const shots = Array.from({ length: 885 }, (_, at) => {
      const sentAtMs = 100_000 + Math.max(0, at - 80) * 18.6;
      return exchangeAt(sentAtMs, limiter.take(sentAtMs).admitted ? 200 : 429);
    });
    return { offeredPerSecond: 53.75, shots };
  };

  const found = (kind: Deployment["kind"], counts: readonly number[]) => {
    const trial = simulateTrial({ kind, ...promised });
    const even = { below: { offeredPerSecond: 47.5, shots: [] }, above: evenly(kind) };
    const drain = trial.drain === null ? null : { ...trial.drain, even };
    return judged(burstClaim, { ...trial, drain, volleys: burstsOf(counts, 30) });
  };

  it.each([[[105, 105, 105]], [[105, 100, 100]]])(
    "may have in them what its renewals show that may come back at once: %j",
    (counts) => {
      expect(found("fast-ticking-bucket", counts).verdict).toBe("kept");
    },
  );

  it.each([[[115, 100, 100]], [[112, 112, 112]]])(
    "break rate.burst if they exceed it by more: %j",
    (counts) => {
      expect(found("fast-ticking-bucket", counts).verdict).toBe("broken");
    },
  );

  it("may not where the bucket refills evenly, once there are so many that it is sure", () => {
    expect(found("token-bucket", [105, 105, 105]).verdict).toBe("inconclusive");
    expect(found("token-bucket", Array(9).fill(105)).verdict).toBe("broken");
  });
});

describe("bursts where refused requests count, and nothing tells how the limiter refills", () => {
  const promised = { actual: PRO, promised: PRO, refusedCount: true } as const;
  const trial = { ...simulateTrial({ kind: "fast-ticking-bucket", ...promised }), below: null };

  it.each([
    ["may be those of steps that come by chance in all of them", [105, 105, 105], "inconclusive"],
    ["have none of it where one of them is right", [105, 100, 105], "kept"],
    ["are too long where no step comes in so many", Array(9).fill(105), "broken"],
    ["are too long where the step would come too rarely", Array(5).fill(115), "broken"],
  ] as const)("%s", (_, counts, verdict) => {
    expect(judged(burstClaim, { ...trial, volleys: burstsOf(counts, 30) }).verdict).toBe(verdict);
  });

  it.each([
    ["may meet steps in two of three", [105, 100, 105], "kept"],
    ["are too long where none would come in so many", Array(8).fill(105), "broken"],
  ] as const)("after long rests, %s", (_, counts, verdict) => {
    const watch = { key: trial.key, limit: PRO, volleys: burstsOf(counts, 19), presses: [] };
    expect(judgedRests(watch, trial).verdict).toBe(verdict);
  });
});

it("of many bursts after long rests, two may meet a window that begins anew", () => {
  const watch = (counts: readonly number[]) => {
    return { key: "free-a", limit: PRO, volleys: burstsOf(counts, 19), presses: [] };
  };
  expect(judgedRests(watch([120, 120])).verdict).toBe("broken");
  const right = Array.from({ length: 7 }, () => 100);
  expect(judgedRests(watch([120, 120, ...right])).verdict).toBe("kept");
});

it("a limiter that was not seen to refill in steps is excused of nothing", () => {
  const { volleys: bursts } = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
  expect(moreInAll(bursts, null, PRO)).toBe(0);
});
