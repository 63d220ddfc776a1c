/** The sustained rate, by requests that come late, unevenly or not at all for a while. */

import { describe, expect, it } from "vitest";
import { sufficientClaim } from "../../../../contract/judges/rate/retry-after-sufficient.ts";
import type { KeyTrial } from "../../../../contract/judges/rate/trial.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { drawnCases } from "../../../drawn-cases.ts";
import { brokenIn, judged, judgedSustained } from "./judged.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

/** Some of so many seeds, for this file's loops. */
function seedsOf(count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return drawnCases(`seeds of ${count}`, all, 2);
}

/** A window of a second. */
const TEN = { sustained: 10, burst: 10 };

describe.each([
  { way: "stallMs", late: [500, 1_000, 1_500, 2_000, 3_000], plans: [FREE, PRO], seeds: 10 },
  { way: "skippedMs", late: [30, 90, 150], plans: [FREE], seeds: 200 },
  { way: "pauseMs", late: [600, 1_100, 1_700, 2_400], plans: [TEN], seeds: 50 },
  { way: "pauseMs", late: [1_500], plans: [FREE, PRO], seeds: 10 },
])("a generator that is late in or before its overload, by $way of $late", (given) => {
  const { way, late, plans, seeds } = given;
  it.each(KINDS)("breaks nothing by a %s", (kind) => {
    const deployments = plans.flatMap((promised) =>
      late.flatMap((ms) =>
        seedsOf(seeds).map((seed) => ({ kind, actual: promised, promised, seed, [way]: ms })),
      ),
    );
    expect(deployments.flatMap(brokenIn)).toEqual([]);
  });
});

describe.each([0, 15])("an overload of which an answer in %i comes seconds late", (each) => {
  it.each(["token-bucket", "gcra", "sliding-log"] as const)("by a %s", (kind) => {
    const verdictAt = (share: number) => {
      const actual = { sustained: PRO.sustained * share, burst: PRO.burst };
      const { drain, ...trial } = simulateTrial({ kind, actual, promised: PRO });
      if (drain === null) throw new Error("the simulated trial has a drain");
      const press = drain.press.map((shot, at) =>
        each > 0 && at % each === 7 ? { ...shot, receivedAtMs: shot.receivedAtMs + 3_000 } : shot,
      );
      return judgedSustained({ ...trial, drain: { ...drain, press } }).verdict;
    };
    expect([0.7, 1, 1.4].map(verdictAt)).toEqual(["broken", "kept", "broken"]);
  });
});

describe("a generator that stands still, and one answer that comes late", () => {
  const bucket = { kind: "token-bucket", actual: FREE, promised: FREE, stallMs: 4_000 } as const;
  const trials = [1, 2, 3, 4, 5].map((seed): KeyTrial => {
    const trial = simulateTrial({ ...bucket, seed });
    if (trial.drain === null) throw new Error("the simulated trial has a drain");
    const overload = [...trial.drain.press];
    const last = overload.pop() ?? exchangeAt(0, 429);
    overload.push({ ...last, receivedAtMs: last.receivedAtMs + 10_000 });
    return { ...trial, drain: { ...trial.drain, press: overload } };
  });

  it("are the reason, and no limiter that counts refused requests", () => {
    for (const trial of trials) {
      const { verdict, reason } = judgedSustained(trial);
      expect(verdict).toBe("inconclusive");
      expect(reason).toContain("requests paused");
    }
  });

  it("excuse no return in time that is refused", () => {
    for (const trial of trials) {
      const [first, ...others] = trial.returns;
      if (first === undefined) throw new Error("the simulated trial has returns");
      const probe = exchangeAt(first.probe.sentAtMs, 429, { "retry-after": "1" });
      const returns = [{ ...first, probe }, ...others];
      expect(judged(sufficientClaim, { ...trial, returns }).verdict).toBe("broken");
    }
  });
});

describe("a generator that now and then skips what a key has just earned", () => {
  const seeds = seedsOf(200);
  const verdicts = (skippedMs: number, share: number) =>
    seeds.map((seed) => {
      const actual = { ...FREE, sustained: FREE.sustained * share };
      const bucket = { kind: "token-bucket", actual, promised: FREE, skippedMs, seed } as const;
      return judgedSustained(simulateTrial(bucket)).verdict;
    });

  it("excuses no bucket that gives too little where it skips nothing", () => {
    expect(new Set(verdicts(0, 0.88))).toEqual(new Set(["broken"]));
  });

  it("excuses no bucket that gives far too little", () => {
    expect(new Set(verdicts(90, 0.75))).toEqual(new Set(["broken"]));
  });
});

describe("a counter of a window of ten requests", () => {
  it("is not called too slow, whatever its kind looks like", () => {
    const ten = { sustained: 5, burst: 10 };
    const counter = { kind: "sliding-counter", actual: ten, promised: ten } as const;
    for (const seed of seedsOf(400)) {
      expect(brokenIn({ ...counter, pauseMs: 300, lostShare: 0.06, seed })).toEqual([]);
    }
  });
});

describe("a generator that hides the steps of a bucket's refill", () => {
  it.each([
    { skippedMs: 100, pauseMs: 300, jitterMs: 1, seed: 1 },
    { jitterMs: 60, stallMs: 50, seed: 1 },
    { skippedMs: 40, seed: 6_332 },
    { skippedMs: 41, stallMs: 220, seed: 7_730 },
    { stallMs: 2_198, seed: 7_665 },
  ])("breaks no burst, case %#", (hidden) => {
    const bucket = { kind: "fast-ticking-bucket", actual: PRO, promised: PRO } as const;
    for (const more of [0, ...seedsOf(59)]) {
      expect(brokenIn({ ...bucket, ...hidden, seed: hidden.seed + more })).toEqual([]);
    }
  });
});

describe("requests that queue up on their way", () => {
  it.each([300, 600, 900])(
    "late by %i ms don't make 8 percent too little look right",
    (backlogMs) => {
      const actual = { ...PRO, sustained: PRO.sustained * 0.92 };
      for (let seed = 1; seed <= 10; seed++) {
        const trial = simulateTrial({ kind: "gcra", actual, promised: PRO, backlogMs, seed });
        expect(judgedSustained(trial).verdict).not.toBe("kept");
      }
    },
  );

  it("make the sustained rate less sure, not broken", () => {
    const late = { kind: "token-bucket", actual: PRO, promised: PRO, backlogMs: 900 } as const;
    for (let seed = 1; seed <= 10; seed++) {
      const trial = simulateTrial({ ...late, seed });
      expect(judgedSustained(trial).verdict).not.toBe("broken");
    }
  });
});

describe("a service that is far away", () => {
  const far = (shot: Exchange) => ({ ...shot, receivedAtMs: shot.receivedAtMs + 300 });
  for (const kind of KINDS) {
    it.each([FREE, PRO])(`keeps its $sustained/s by ${kind}`, (promised) => {
      for (let seed = 1; seed <= 10; seed++) {
        const trial = simulateTrial({ kind, actual: promised, promised, seed });
        if (trial.drain === null) throw new Error("the simulated trial has a drain");
        const { volley: burst, press: overload } = trial.drain;
        const shots = burst.shots.map(far);
        const drain = { volley: { ...burst, shots }, press: overload.map(far) };
        const { verdict } = judgedSustained({ ...trial, drain });
        expect({ seed, verdict }).toEqual({ seed, verdict: "kept" });
      }
    });
  }
});

/** What the generator did not send in its longest pause is sent, and answered 503. */
function downInPause(trial: KeyTrial): KeyTrial {
  const { drain, limit } = trial;
  if (drain === null) throw new Error("the simulated trial has a drain");
  const sent = drain.press.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  const gaps = sent.slice(1).map((atMs, at) => ({ fromMs: sent[at] ?? 0, atMs }));
  const [pause] = gaps.sort((a, b) => b.atMs - b.fromMs - (a.atMs - a.fromMs));
  const { fromMs, atMs } = pause ?? { fromMs: 0, atMs: 0 };
  const stepMs = 1_000 / (limit.sustained * 2.4);
  const count = Math.ceil((atMs - fromMs) / stepMs) - 1;
  const failed = Array.from({ length: count }, (_, n) =>
    exchangeAt(fromMs + stepMs * (n + 1), 503),
  );
  return { ...trial, drain: { ...drain, press: [...drain.press, ...failed] } };
}

describe("a service that is down in the middle of an overload, in which the key rests", () => {
  for (const kind of KINDS) {
    it.each([FREE, PRO])(`breaks nothing of $sustained/s by ${kind}`, (promised) => {
      for (const seed of [1, 2, 3]) {
        const trial = simulateTrial({ kind, actual: promised, promised, stallMs: 2_000, seed });
        expect(judgedSustained(downInPause(trial)).verdict).not.toBe("broken");
      }
    });
  }

  it("excuses no rate that is too high where single requests fail", () => {
    const actual = { ...FREE, sustained: 14 };
    const trial = simulateTrial({ kind: "token-bucket", actual, promised: FREE });
    const fails = (shot: Exchange, at: number) => (at % 20 === 0 ? { ...shot, status: 503 } : shot);
    const press = trial.drain?.press.map(fails) ?? [];
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    expect(judgedSustained({ ...trial, drain }).verdict).toBe("broken");
  });
});

describe("admissions that come in parts of unlike sizes", () => {
  it("are no windows, by whose number a rate is told", () => {
    const { drain, ...trial } = simulateTrial({
      kind: "sliding-counter",
      actual: FREE,
      promised: FREE,
    });
    if (drain === null) throw new Error("the simulated trial has a drain");
    const fromMs = drain.press[0]?.sentAtMs ?? 0;
    const admitted = [360, 1_020, ...Array.from({ length: 45 }, (_, n) => 1_720 + 100 * n)];
    const refused = Array.from({ length: 106 }, (_, n) => 60 * n + 5);
    const overload = [
      ...admitted.map((ms) => exchangeAt(fromMs + ms, 200)),
      ...refused.map((ms) => exchangeAt(fromMs + ms, 429)),
    ];
    const found = judgedSustained({ ...trial, drain: { ...drain, press: overload } });
    expect(found.verdict).toBe("inconclusive");
  });
});
