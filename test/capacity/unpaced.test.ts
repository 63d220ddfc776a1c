/** As fast as connections go: where the objectives end it, what it tells, and of what process. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CapacityObjective } from "../../capacity/options.ts";
import { findUnpaced } from "../../capacity/unpaced.ts";
import type { Burst, OwnTime } from "../../capacity/unpaced-burst.ts";
import { fireBurst } from "../../capacity/unpaced-burst.ts";
import { newHistogram, recordValue } from "../../contract/numbers/histogram.ts";
import { quantilesOf } from "../../contract/run/capacity-step.ts";
import { Secret } from "../../contract/text/secret.ts";
import { serve } from "../http/serve.ts";
import { searchOptions } from "./options.ts";

/** Ends a request well, or fails it, given the number of those that came before. */
type Answer = (before: number, end: () => void, fail: () => void) => void;

/** Gives back its address. */
async function server(answer: Answer): Promise<string> {
  let before = 0;
  return await serve((_request, response) => {
    const end = () => void response.end("{}");
    answer(before, end, () => void response.writeHead(500).end());
    before += 1;
  });
}

const soon = (_before: number, end: () => void) => void sleep(20).then(end);

const ERRORS: CapacityObjective = { kind: "errors", belowShare: 0.2, text: "errors<20%" };
const FAST: CapacityObjective = {
  ...{ kind: "quantile", figure: "latency", q: 0.95, text: "p95<250ms" },
  belowMs: 250,
};

function optionsFor(baseUrl: string) {
  const given = searchOptions({ of: "requests", stepMs: 3_000, objectives: [ERRORS, FAST] });
  const key = { ...given.keys[0], env: "K" } as (typeof given.keys)[number];
  const target = { ...given.target, baseUrl };
  return { ...given, target, keys: [key], secrets: new Map([["K", new Secret("x")]]) };
}

/** What so many connections meet: how long an answer takes, how many a second there can be. */
interface Met {
  afterMs: number;
  status?: number;
  perSecondMax?: number;
  own?: Partial<OwnTime>;
}

const OWN: OwnTime = { busyShare: 0.1, starvedShare: 0, lagMs: 1 };

/** A search whose bursts are worked out, so that no time of this machine is in them. */
async function searched(meets: (connections: number, run: number) => Met) {
  let run = 0;
  return await findUnpaced(optionsFor("http://x.example"), 16, (_options, connections, seconds) => {
    const met = meets(connections, run);
    run += 1;
    return Promise.resolve(burstOf(met, connections, seconds));
  });
}

function burstOf(met: Met, connections: number, seconds: number): Burst {
  const { afterMs, status = 200, perSecondMax = Number.POSITIVE_INFINITY, own } = met;
  const rate = Math.min(perSecondMax, (connections * 1_000) / afterMs);
  const count = Math.round(rate * seconds);
  const latencies = newHistogram();
  const isAnswered = status === 200;
  if (isAnswered) recordValue(latencies, (connections * 1_000) / rate);
  return {
    connections,
    seconds,
    answered: isAnswered ? count : 0,
    refused429: status === 429 ? count : 0,
    errors: status === 500 ? count : 0,
    latencyMs: quantilesOf(latencies),
    own: { ...OWN, ...own },
  };
}

describe("an unpaced search", () => {
  it.each<[string, (connections: number) => Met, string]>([
    ["fail", (n) => ({ afterMs: 20, status: n > 1 ? 500 : 200 }), "errors"],
    ["are late", (n) => ({ afterMs: n > 1 ? 400 : 20 }), "answers"],
  ])("stays with the connections at which no answers %s", async (_name, meets, bottleneck) => {
    const { steps, outcome, exitCode, bottleneck: found, summary } = await searched(meets);
    expect(steps.map(({ connections }) => connections)).toEqual([1, 2, 1, 1, 1, 1, 1]);
    expect([outcome, exitCode, found?.bottleneck]).toEqual(["found", 0, bottleneck]);
    expect(summary).toMatch(/^50 .*; 2 connections did not keep the objectives: /);
  });

  it("is below where one connection is too many already", async () => {
    const { steps, ...result } = await searched(() => ({ afterMs: 20, status: 500 }));
    expect(steps).toHaveLength(1);
    expect(result).toMatchObject({ outcome: "below", exitCode: 99, estimate: null });
    expect(result.summary).toMatch(/^not even one connection kept the objectives: \d+ of \d+/);
  });
});

describe("of a process that was kept waiting, an unpaced search", () => {
  const starved = { starvedShare: 0.3, lagMs: 90 };
  const WAITED = /this generator waited for a core for 30 % of the time; at most 5 %/;

  it("says nothing against a service that answered late", async () => {
    const result = await searched(() => ({ afterMs: 300, own: starved }));
    expect(result).toMatchObject({ outcome: "none", exitCode: 111, estimate: null });
    expect(result.bottleneck?.bottleneck).toBe("generator");
    expect(result.summary).toMatch(WAITED);
    expect(result.steps[0]?.generator).toMatchObject({ hostLagMs: 90 });
  });

  it("is below all the same where answers failed", async () => {
    const { outcome } = await searched(() => ({ afterMs: 20, status: 500, own: starved }));
    expect(outcome).toBe("below");
  });

  it.each<[string, (connections: number, run: number) => Met]>([
    ["runs at the best", (_n, run) => ({ afterMs: 20, perSecondMax: 300, own: late(run > 5) })],
    ["more connections", (n) => ({ afterMs: 20, perSecondMax: 300, own: late(n > 8) })],
  ])("is a bound where it delayed the %s", async (_name, meets) => {
    const result = await searched(meets);
    expect(result).toMatchObject({ outcome: "at-least", exitCode: 111, bound: "generator" });
    expect(result.estimate?.perSecond).toBe(300);
    expect(result.bottleneck?.text).toMatch(WAITED);
  });

  it("finds what it finds where that was less than it tells apart", async () => {
    const own = { starvedShare: 0.04 };
    const result = await searched(() => ({ afterMs: 20, perSecondMax: 300, own }));
    expect([result.outcome, result.exitCode]).toEqual(["found", 0]);
  });

  const late = (isLate: boolean) => (isLate ? starved : {});
});

/** CPU time of this thread. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Holds the thread up as a machine does that gives it no core: again and again, and idle. */
function standStill(ms: number): () => void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.wait(cell, 0, 0, ms), ms);
  return () => clearInterval(timer);
}

describe("a burst on a real server", () => {
  it("tells how long its thread waited for a core", async () => {
    const end = standStill(100);
    onTestFinished(end);
    const { own } = await fireBurst(optionsFor(await server(soon)), 2, 2);
    expect(own.starvedShare).toBeGreaterThan(0.3);
    expect(own.lagMs).toBeGreaterThan(50);
  });

  it("does not take its own work for waiting", async () => {
    const work = setInterval(() => {
      const untilMs = usedMs() + 50;
      while (usedMs() < untilMs);
    }, 1);
    onTestFinished(() => clearInterval(work));
    const [fromMs, usedBeforeMs] = [performance.now(), usedMs()];
    const { own } = await fireBurst(optionsFor(await server(soon)), 2, 2);
    const workShare = (usedMs() - usedBeforeMs) / (performance.now() - fromMs);
    // A tenth: the burst is not all that was measured here.
    expect(own.starvedShare + workShare).toBeLessThan(1.1);
  });

  it("never lets a search call a service slow for its own waits", async () => {
    const end = standStill(400);
    onTestFinished(end);
    const result = await findUnpaced(optionsFor(await server(soon)), 2);
    // Whether one answer in twenty was late is chance: at worst there is no verdict, or a bound.
    expect(result.outcome).toBeOneOf(["none", "at-least"]);
    expect(result.exitCode).toBe(111);
    expect(result.bottleneck?.text).toMatch(/^this generator waited for a core for/);
  });

  it("tells the latencies of all good answers, and of no other", async () => {
    const baseUrl = await server((before, end, fail) => {
      if (before % 3 === 2) return fail();
      void sleep(20).then(end);
    });
    const { latencyMs, answered, errors } = await fireBurst(optionsFor(baseUrl), 2, 2);
    expect([answered > 0, errors > 0]).toEqual([true, true]);
    expect(latencyMs?.count).toBe(answered);
    expect(latencyMs?.p50).toBeGreaterThan(19);
  });
});

it("tells the p95 of latencies, and not one beyond it", () => {
  const latencies = newHistogram();
  for (let n = 0; n < 300; n += 1) recordValue(latencies, n % 30 === 29 ? 300 : 10);
  expect(quantilesOf(latencies)?.p95).toBeLessThan(11);
  expect(quantilesOf(latencies)?.p99).toBeGreaterThan(290);
});
