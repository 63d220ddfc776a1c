/** The rate judges against every kind of limiter, in virtual time. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../contract/exchange.ts";
import { judgeBurst } from "../../../../contract/judges/rate/burst.ts";
import { estimateBurst, estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import { limitedClaim } from "../../../../contract/judges/rate/limited.ts";
import { notExcessiveClaim } from "../../../../contract/judges/rate/retry-after-not-excessive.ts";
import { presentClaim } from "../../../../contract/judges/rate/retry-after-present.ts";
import { sufficientClaim } from "../../../../contract/judges/rate/retry-after-sufficient.ts";
import { validClaim } from "../../../../contract/judges/rate/retry-after-valid.ts";
import { judgeSustained } from "../../../../contract/judges/rate/sustained.ts";
import type { KeyTrial, Volley } from "../../../../contract/judges/rate/trial.ts";
import { withinPlanClaim } from "../../../../contract/judges/rate/within-plan.ts";
import type { Claim } from "../../../../contract/judging/claim.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run-plan.ts";
import type { Finding } from "../../../../contract/verdict.ts";
import type { Deployment } from "./simulated-trial.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

type Tolerances = typeof DEFAULT_TOLERANCES;
type KeyJudge = (trial: KeyTrial) => Finding;

const byClaim =
  (claimOf: (trials: readonly KeyTrial[], tolerances: Tolerances) => Claim): KeyJudge =>
  (trial) =>
    decide(claimOf([trial], DEFAULT_TOLERANCES));

const judgeLimited = byClaim(limitedClaim);
const judgeWithinPlan = byClaim(withinPlanClaim);
const judgeRetryAfterPresent = byClaim(presentClaim);
const judgeRetryAfterValid = byClaim(validClaim);

const JUDGES: readonly KeyJudge[] = [
  judgeLimited,
  (trial) => judgeSustained(trial, DEFAULT_TOLERANCES),
  (trial) => judgeBurst(trial, DEFAULT_TOLERANCES),
  judgeWithinPlan,
  judgeRetryAfterPresent,
  judgeRetryAfterValid,
  byClaim(sufficientClaim),
  byClaim(notExcessiveClaim),
];

function verdicts(trial: KeyTrial): Record<string, string> {
  return Object.fromEntries(
    JUDGES.map((judge) => {
      const { promise, verdict } = judge(trial);
      return [promise, verdict];
    }),
  );
}

/** A submission that is refused, with that Retry-After. */
function submission(retryAfter: string | null): Exchange {
  const headers = retryAfter === null ? {} : { "retry-after": retryAfter };
  return { ...exchangeAt(0, 429, headers), method: "POST", route: "submit" };
}

function brokenIn(deployment: Deployment): string[] {
  const all = verdicts(simulateTrial(deployment));
  return Object.keys(all).filter((promise) => all[promise] === "broken");
}

describe("every lawful limiter keeps every rate promise, at any phase", () => {
  for (const kind of KINDS) {
    for (const promised of [FREE, PRO]) {
      it(`${kind} at ${promised.sustained}/s`, () => {
        for (let seed = 1; seed <= 25; seed++) {
          const found = verdicts(simulateTrial({ kind, actual: promised, promised, seed }));
          expect({ seed, found: new Set(Object.values(found)) }).toEqual({
            seed,
            found: new Set(["kept"]),
          });
        }
      });
    }
  }
});

describe("a limiter that counts refused requests is never called broken", () => {
  for (const kind of ["sliding-log", "sliding-counter", "token-bucket"] as const) {
    it(kind, () => {
      for (let seed = 1; seed <= 25; seed++) {
        const deployment = { kind, actual: FREE, promised: FREE, refusedCount: true, seed };
        expect(brokenIn(deployment)).toEqual([]);
      }
    });
  }
});

describe("quantities just outside the tolerance break their own promise alone", () => {
  const cases: readonly [string, Partial<Deployment["actual"]>, string[]][] = [
    ["8 % over", { sustained: 10.8 }, ["rate.sustained"]],
    ["8 % under", { sustained: 9.2 }, ["rate.sustained"]],
    ["4 % over", { sustained: 10.4 }, []],
    ["4 % under", { sustained: 9.6 }, []],
    ["burst of 23", { burst: 23 }, ["rate.burst"]],
    ["burst of 17", { burst: 17 }, ["rate.burst"]],
    ["burst of 19", { burst: 19 }, ["rate.burst"]],
    ["burst of 21, as nginx admits", { burst: 21 }, []],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      const actual = { ...FREE, ...change };
      expect(brokenIn({ kind: "token-bucket", actual, promised: FREE })).toEqual(expected);
    });
  }
});

describe("volleys that fall short of a burst", () => {
  /** As many of 26 requests at once get through in each volley, the last answer after so long. */
  const found = (counts: number[], firstTookMs = 20) => {
    const volleys = counts.map((count, at): Volley => {
      const sentAtMs = at * 5_000;
      const shots = Array.from({ length: 26 }, (_, n) =>
        exchangeAt(sentAtMs, n < count ? 200 : 429, n < count ? {} : { "retry-after": "1" }),
      );
      const tookMs = at === 0 ? firstTookMs : 20;
      return {
        restedMs: 4_600,
        shots: shots.map((shot) => ({ ...shot, receivedAtMs: sentAtMs + tookMs })),
      };
    });
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    return judgeBurst({ ...trial, volleys }, DEFAULT_TOLERANCES);
  };

  it("are in doubt after one that got all of it: it may come back slowly", () => {
    for (const counts of [
      [20, 11, 10],
      [20, 11, 20],
      [20, 19, 11],
      [21, 20, 10],
    ]) {
      const { verdict, reason } = found(counts);
      expect({ counts, verdict }).toEqual({ counts, verdict: "inconclusive" });
      expect(reason).toContain("a spent burst was not back yet");
    }
  });

  it.each([
    ["none gets all of it", [19, 11, 10], 20],
    ["the first falls short", [17, 20, 20], 20],
    ["another one gets too much", [25, 11, 10], 20],
    ["a first one too slow to tell got more", [20, 17, 17], 350],
  ])("break rate.burst where %s", (_, counts, firstTookMs) => {
    expect(found(counts, firstTookMs).verdict).toBe("broken");
  });
});

describe("a bucket 8 % off", () => {
  for (const share of [1.08, 0.92]) {
    for (const promised of [FREE, PRO]) {
      it(`${share} of ${promised.sustained}/s is told at any phase`, () => {
        for (let seed = 1; seed <= 25; seed++) {
          const actual = { ...promised, sustained: promised.sustained * share };
          const trial = simulateTrial({ kind: "token-bucket", actual, promised, seed });
          const { verdict } = judgeSustained(trial, DEFAULT_TOLERANCES);
          expect({ seed, verdict }).toEqual({ seed, verdict: "broken" });
        }
      });
    }
  }
});

describe("answers above the plan", () => {
  const bucket = { kind: "token-bucket", actual: FREE, promised: FREE } as const;

  it("503 in place of 429 breaks rate.limited", () => {
    const refuseWith = () => ({ status: 503, headers: {} });
    expect(brokenIn({ ...bucket, refuseWith })).toEqual(["rate.limited"]);
  });

  it("none in time is in doubt, as on a machine that does something else", () => {
    const trial = simulateTrial(bucket);
    const late = (shot: Exchange): Exchange =>
      shot.status === 429 ? { ...shot, status: 0, error: "timeout" } : shot;
    const volleys = trial.volleys.map(({ restedMs, shots }) => {
      return { restedMs, shots: shots.map(late) };
    });
    expect(judgeLimited({ ...trial, volleys }).verdict).toBe("inconclusive");
  });

  it("no limit at all breaks rate.limited", () => {
    const actual = { sustained: 10_000, burst: 100_000 };
    expect(brokenIn({ ...bucket, actual })).toEqual(["rate.limited"]);
  });

  it("a 429 without Retry-After breaks rate.retry-after-present", () => {
    const refuseWith = () => ({ status: 429, headers: {} });
    expect(brokenIn({ ...bucket, refuseWith })).toEqual(["rate.retry-after-present"]);
  });

  it("a 429 without Retry-After to a submission alone breaks rate.retry-after-present", () => {
    const trial = { ...simulateTrial(bucket), submissions: [exchangeAt(0, 202), submission(null)] };
    const { verdict, summary } = judgeRetryAfterPresent(trial);
    expect(verdict).toBe("broken");
    expect(summary).toContain("1 of ");
  });

  it("a submission's Retry-After that is a word breaks rate.retry-after-valid", () => {
    const trial = { ...simulateTrial(bucket), submissions: [submission("soon")] };
    expect(judgeRetryAfterValid(trial).verdict).toBe("broken");
    expect(judgeRetryAfterPresent(trial).verdict).toBe("kept");
  });

  for (const text of [
    "soon",
    "-1",
    "1.5",
    "Tue, 31 Foo 2026 10:00:00 GMT",
    "2026-01-01T00:00:00Z",
  ]) {
    it(`Retry-After "${text}" breaks rate.retry-after-valid`, () => {
      const trial = simulateTrial(bucket);
      const shot = exchangeAt(0, 429, { "retry-after": text });
      const drain = { volley: { restedMs: 0, shots: [] }, press: [shot] };
      const found = judgeRetryAfterValid({
        ...trial,
        volleys: [],
        drain,
        returns: [],
        below: null,
      });
      expect(found.verdict).toBe("broken");
    });
  }

  it("a wait too short by a second breaks rate.retry-after-sufficient", () => {
    const refuseWith = () => ({ status: 429, headers: { "retry-after": "0" } });
    expect(brokenIn({ ...bucket, refuseWith })).toEqual(["rate.retry-after-sufficient"]);
  });

  it("a wait 12 s too long breaks rate.retry-after-not-excessive; 8 s does not", () => {
    const told = (seconds: number) => () => ({
      status: 429,
      headers: { "retry-after": String(seconds) },
    });
    expect(brokenIn({ ...bucket, refuseWith: told(18) })).toEqual([
      "rate.retry-after-not-excessive",
    ]);
    expect(brokenIn({ ...bucket, refuseWith: told(8) })).toEqual([]);
  });
});

describe("below the plan", () => {
  it("one 429 breaks rate.within-plan", () => {
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const shots = [...(trial.below?.shots ?? [])];
    shots[15] = exchangeAt(shots[15]?.sentAtMs ?? 0, 429, { "retry-after": "1" });
    const below = { offeredPerSecond: 9.5, shots };
    expect(judgeWithinPlan({ ...trial, below }).verdict).toBe("broken");
  });

  it("a 429 is in doubt where requests were held up and may have come in a burst", () => {
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const firstMs = trial.below?.shots[0]?.sentAtMs ?? 0;
    const shots = (trial.below?.shots ?? []).map((shot) => {
      return { ...shot, receivedAtMs: Math.max(shot.receivedAtMs, firstMs + 1_500) };
    });
    shots[20] = exchangeAt(shots[20]?.sentAtMs ?? 0, 429);
    const below = { offeredPerSecond: 9.5, shots };
    expect(judgeWithinPlan({ ...trial, below }).verdict).toBe("inconclusive");
  });

  it("answers that take 400 ms are not a generator that reached too little", () => {
    const shots = Array.from({ length: 30 }, (_, n) => {
      const shot = exchangeAt((n * 1_000) / 47.5, 200);
      return { ...shot, receivedAtMs: shot.sentAtMs + 400 };
    });
    const trial = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
    const found = judgeWithinPlan({ ...trial, below: { offeredPerSecond: 47.5, shots } });
    expect(found.verdict).toBe("kept");
    expect(found.summary).toContain("47.5/s");
  });

  it("a generator that reached too little is inconclusive", () => {
    const shots = [0, 1, 2, 3].map((second) => exchangeAt(second * 1_000, 200));
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    const below = { offeredPerSecond: 9.5, shots };
    expect(judgeWithinPlan({ ...trial, below }).verdict).toBe("inconclusive");
  });
});

describe("estimates", () => {
  it("sustained within 1 % and burst within 1 for a token bucket, at any phase", () => {
    for (const promised of [FREE, PRO]) {
      for (let seed = 1; seed <= 50; seed++) {
        const trial = simulateTrial({ kind: "token-bucket", actual: promised, promised, seed });
        if (trial.drain === null) throw new Error("the simulated trial has a drain");
        const { sustained } = estimateLimiter(trial.drain, promised);
        expect(Math.abs((sustained?.value ?? 0) / promised.sustained - 1)).toBeLessThan(0.01);
        const burst = estimateBurst(trial.volleys, promised);
        expect(Math.abs((burst?.value ?? 0) - promised.burst)).toBeLessThanOrEqual(1);
      }
    }
  });

  describe("of a burst whose volleys the generator held up", () => {
    const { volleys } = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
    const heldUp = (volley: Volley, ms: number): Volley => ({
      ...volley,
      shots: volley.shots.map((shot) => ({ ...shot, receivedAtMs: shot.receivedAtMs + ms })),
    });

    it("leave out those that were", () => {
      const [first, ...others] = volleys;
      if (first === undefined) throw new Error("the simulated trial has volleys");
      const burst = estimateBurst([heldUp(first, 2_300), ...others], PRO);
      expect(burst).toEqual(estimateBurst(others, PRO));
    });

    it("are none where all were", () => {
      const all = volleys.map((volley) => heldUp(volley, 2_300));
      expect(estimateBurst(all, PRO)).toBeNull();
    });
  });

  it.each(["fixed-window", "aligned-window"] as const)(
    "a burst of %s is its count, however slowly the answers came",
    (kind) => {
      const { volleys } = simulateTrial({ kind, actual: PRO, promised: PRO });
      const slow = volleys.map(({ shots, ...volley }) => ({
        ...volley,
        shots: shots.map((shot) => ({ ...shot, receivedAtMs: shot.receivedAtMs + 150 })),
      }));
      const burst = estimateBurst(slow, PRO, "fixed window or sliding log");
      expect(burst).toEqual({ value: 100, low: 100, high: 100 });
    },
  );

  const named = {
    "token-bucket": "token bucket or GCRA",
    gcra: "token bucket or GCRA",
    "fixed-window": "fixed window or sliding log",
    "sliding-log": "fixed window or sliding log",
    "sliding-counter": "sliding window counter",
  } as const;
  for (const kind of Object.keys(named) as (keyof typeof named)[]) {
    it(`${kind} is told as "${named[kind]}" at most phases`, () => {
      const seeds = Array.from({ length: 25 }, (_, index) => index + 1);
      const right = seeds.filter((seed) => {
        const { drain } = simulateTrial({ kind, actual: PRO, promised: PRO, seed });
        return drain !== null && estimateLimiter(drain, PRO).kind === named[kind];
      });
      expect(right.length).toBeGreaterThan(seeds.length * 0.7);
    });
  }
});
