/** The sustained rate by steady phases around the plan, against every kind of limiter. */

import { describe, expect, it } from "vitest";
import { evenRates, gotEvenly } from "../../../../contract/judges/rate/even.ts";
import type { SteadyPhase } from "../../../../contract/judges/rate/trial.ts";
import { withinPlanClaim } from "../../../../contract/judges/rate/within-plan.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { RateLimit } from "../../../../contract/plans.ts";
import { windowMs } from "../../../../contract/plans.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run/run-plan.ts";
import type { Choices } from "../../../../reference/choices.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";
import { drawnCases } from "../../../drawn-cases.ts";
import { judgedSustained } from "./judged.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

interface Service {
  kind: Choices["limiter"];
  refusedCount: boolean;
  promised: RateLimit;
  /** What it does, in parts of the promised rate. */
  share: number;
  /** How much later than others a request may reach it. */
  unevenMs: number;
  seed: number;
}

const WAYS_MS = 65;

function tried({ kind, refusedCount, promised, share, unevenMs, seed }: Service) {
  const sustained = promised.sustained * share;
  const limiter = createLimiter(kind, { burst: promised.burst, sustained, refusedCount });
  const random = seededRandom(seed);
  let nowMs = 1_000_000 + random.next() * 10_000;
  /** In the order in which they reach the service. */
  const send = (timesMs: readonly number[]): Exchange[] =>
    timesMs
      .map((sentAtMs) => ({ sentAtMs, atMs: sentAtMs + WAYS_MS + random.next() * unevenMs }))
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ sentAtMs, atMs }) => {
        const { admitted } = limiter.take(atMs);
        const shot = exchangeAt(sentAtMs, admitted ? 200 : 429);
        return { ...shot, receivedAtMs: atMs + WAYS_MS };
      });
  const steadyPhase = (perSecond: number): SteadyPhase => {
    const window = windowMs(promised);
    const startMs = nowMs + 3 * window;
    const steadyFromMs = startMs + 2.3 * window;
    const count = Math.ceil(perSecond * (0.0023 * window + 15));
    const even = Array.from({ length: count }, (_, n) => startMs + 200 + (n * 1_000) / perSecond);
    const burst = Array.from({ length: promised.burst }, () => startMs);
    nowMs = even.at(-1) ?? startMs;
    return { offeredPerSecond: perSecond, shots: send([...burst, ...even]), steadyFromMs };
  };
  const burstSent = { restedMs: 0, shots: send(Array(promised.burst + 6).fill(nowMs)) };
  const overload = send(Array.from({ length: 10 }, (_, n) => nowMs + 1_000 + n));
  const rates = evenRates(promised, DEFAULT_TOLERANCES);
  const even = { below: steadyPhase(rates.below), above: steadyPhase(rates.above) };
  return {
    key: "free-a",
    limit: promised,
    drain: { volley: burstSent, press: overload, even },
    below: even.below,
  };
}

const WINDOWS: readonly Choices["limiter"][] = [
  "fixed-window",
  "aligned-window",
  "sliding-log",
  "sliding-counter",
];

const SERVICES = KINDS.flatMap((kind) =>
  [false, true].map((refusedCount) => ({
    kind,
    refusedCount,
    title: `${kind}, ${refusedCount ? "counting what it refuses" : "counting what it admits"}`,
  })),
);

function verdictsOf(service: Omit<Service, "seed">): ReadonlySet<string> {
  const seeds = Array.from({ length: 12 }, (_, at) => at + 1);
  const all = drawnCases(service.kind, seeds, 2).map((seed) =>
    judgedSustained(tried({ ...service, seed })),
  );
  return new Set(all.map(({ verdict }) => verdict));
}

describe.each(SERVICES)("$title", ({ kind, refusedCount }) => {
  const near = { kind, refusedCount, share: 1, unevenMs: 0 };
  const off = (share: number, promised = FREE) => verdictsOf({ ...near, promised, share });

  it("keeps its rate, at any phase", () => {
    for (const promised of [FREE, PRO]) {
      expect(verdictsOf({ ...near, promised })).toEqual(new Set(["kept"]));
    }
  });

  it("breaks nothing on an uneven way", () => {
    for (const promised of [FREE, PRO]) {
      expect(verdictsOf({ ...near, promised, unevenMs: 120 })).toEqual(new Set(["kept"]));
    }
  });

  // A key that is barred once saves up what it then lacks in a phase of 15 s.
  const shares = kind === "cooldown" ? [0.5, 0.8] : [0.5, 0.85, 0.9];
  it.each(shares)("breaks its rate with %d of it", (share) => {
    expect(off(share)).not.toContain("kept");
    expect(off(share, PRO)).not.toContain("kept");
  });

  it("breaks its rate with half of it, as anybody can tell", () => {
    expect(off(0.5)).toEqual(new Set(["broken"]));
  });

  // What a window refuses after the burst, a bucket that bars the key saves up and admits later.
  const verdicts = WINDOWS.includes(kind) ? ["inconclusive"] : ["broken"];
  it.each([1.15, 1.5])("says with %d of its rate what it can tell", (share) => {
    expect(off(share)).toEqual(new Set(verdicts));
    expect(off(share, PRO)).toEqual(new Set(verdicts));
  });

  it("breaks rate.within-plan with 8 % too little", () => {
    const service = { ...near, promised: FREE, share: 0.92, seed: 1 };
    expect(decide(withinPlanClaim([tried(service)])).verdict).toBe("broken");
  });
});

/** A window of 10 s: the burst is saved up, where it is not given the time to be forgotten. */
const SLOW = { sustained: 10, burst: 100 };

it.each([
  ["a part of a rate, where none was", undefined, "broken"],
  ["no part of a rate", SLOW.burst, "inconclusive"],
] as const)("what a rested key had saved up is %s", (_, savedUp, verdict) => {
  const service = {
    kind: "token-bucket",
    refusedCount: true,
    share: 1,
    unevenMs: 0,
    seed: 1,
  } as const;
  const trial = tried({ ...service, promised: SLOW });
  const { perSecond, forSeconds } = { perSecond: 10.75, forSeconds: 40 };
  const shots = Array.from({ length: perSecond * forSeconds }, (_, n) =>
    exchangeAt(5_000_000 + (n * 1_000) / perSecond, 200),
  );
  const above = { offeredPerSecond: perSecond, shots, ...(savedUp ? { savedUp } : {}) };
  const drain = { ...trial.drain, even: { ...trial.drain.even, above } };
  expect(judgedSustained({ ...trial, drain }).verdict).toBe(verdict);
});

it("a generator that sends less than the plan, in bunches, bounds no rate from above", () => {
  const service = { kind: "token-bucket", refusedCount: true, share: 1, unevenMs: 0 } as const;
  const trial = tried({ ...service, promised: PRO, seed: 1 });
  // 40/s in all, of which a bucket of 100 refuses a sixth.
  const shots = Array.from({ length: 600 }, (_, n) => {
    const [bunch, at] = [Math.floor(n / 120), n % 120];
    return exchangeAt(5_000_000 + bunch * 3_000 + at, at < 100 ? 200 : 429);
  });
  const { drain } = trial;
  const even = { ...drain.even, above: { offeredPerSecond: 53.75, shots } };
  expect(judgedSustained({ ...trial, drain: { ...drain, even } }).verdict).toBe("inconclusive");
});

it("a key that saved up while it was barred breaks nothing with what it makes good", () => {
  const service = { kind: "cooldown", refusedCount: false, share: 1, unevenMs: 0 } as const;
  for (const promised of [FREE, PRO]) {
    const trial = tried({ ...service, promised, seed: 1 });
    const { above } = trial.drain.even;
    // Shorter than it takes to use up a second's allowance at a pace slightly beyond the plan.
    const untilMs = (above.steadyFromMs ?? 0) + 8_000;
    const shots = above.shots.filter(({ sentAtMs }) => sentAtMs < untilMs);
    const drain = { ...trial.drain, even: { ...trial.drain.even, above: { ...above, shots } } };
    expect(judgedSustained({ ...trial, drain }).verdict).toBe("inconclusive");
  }
});

it("a pace that is hardly faster than what a slow key admits shows no counted refusals", () => {
  const service = { kind: "token-bucket", refusedCount: false, share: 0.92, unevenMs: 0 } as const;
  const { even } = tried({ ...service, promised: FREE, seed: 1 }).drain;
  const perSecond = even.below.offeredPerSecond;
  // A whole burst makes up for what is lacking.
  const shots = Array.from({ length: 40 * perSecond }, (_, n) =>
    exchangeAt(5_000_000 + (n * 1_000) / perSecond, 200),
  );
  const below = { offeredPerSecond: perSecond, shots };
  const actual = { sustained: 0.92 * FREE.sustained, burst: FREE.burst };
  const trial = simulateTrial({ kind: "token-bucket", actual, promised: FREE });
  if (trial.drain === null) throw new Error("the trial has an overload");
  const drain = { ...trial.drain, even: { ...even, below } };
  expect(judgedSustained({ ...trial, drain }).verdict).toBe("broken");
});

it.each([
  ["most of a slower pace may lose the rest to what it is refused", 12, "kept"],
  ["half of a slower pace loses nothing by what it is refused", 2, "broken"],
])("a key that is admitted 8 of 10 a second of an overload, and %s", (_, refusedOneIn, verdict) => {
  const rates = evenRates(FREE, DEFAULT_TOLERANCES);
  const paced = (perSecond: number, oneIn: number): SteadyPhase => ({
    offeredPerSecond: perSecond,
    shots: Array.from({ length: 15 * perSecond }, (_each, n) =>
      exchangeAt(5_000_000 + (n * 1_000) / perSecond, n % oneIn === oneIn - 1 ? 429 : 200),
    ),
  });
  const actual = { ...FREE, sustained: 8 };
  const trial = simulateTrial({ kind: "token-bucket", actual, promised: FREE });
  if (trial.drain === null) throw new Error("the trial has an overload");
  const below = paced(rates.below, Infinity);
  const drain = { ...trial.drain, even: { below, above: paced(rates.above, refusedOneIn) } };
  expect(judgedSustained({ ...trial, below, drain }).verdict).toBe(verdict);
});

it("a pace that was cut short is nothing that a key surely got", () => {
  const shots = Array.from({ length: 25 }, (_, n) => exchangeAt((n * 1_000) / 47.5, 200));
  const below = { offeredPerSecond: 47.5, shots };
  const got = (steadyMs: number) =>
    gotEvenly({ limit: PRO, drain: null, below: { ...below, steadyMs } });
  expect(got(500)).toBeCloseTo(47.5, 1);
  expect(got(6_000)).toBeNull();
});
