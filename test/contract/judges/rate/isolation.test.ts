/** Whose a limit is, and what a refused submission leaves behind. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../contract/exchange.ts";
import { allEndpointsClaim } from "../../../../contract/judges/rate/all-endpoints.ts";
import type { IsolationTrial } from "../../../../contract/judges/rate/per-key.ts";
import { perKeyClaim } from "../../../../contract/judges/rate/per-key.ts";
import type { RejectedRound } from "../../../../contract/judges/rate/rejected-not-run.ts";
import { rejectedNotRunClaim } from "../../../../contract/judges/rate/rejected-not-run.ts";
import type { EndpointTrial, KeyTrial, Volley } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { RouteName } from "../../../../contract/routes.ts";
import { exchangeAt, simulateTrial } from "./simulated-trial.ts";

const FREE = { sustained: 10, burst: 20 };

function volleyOf(admitted: number): Volley {
  const shots = Array.from({ length: 26 }, (_, i) => exchangeAt(i, i < admitted ? 200 : 429));
  return { restedMs: 2_500, shots };
}

describe("rate.per-key", () => {
  const whole: IsolationTrial = {
    key: "free-b",
    exhausted: ["free-a"],
    refusedOfOthers: 6,
    burst: 20,
    besideExhausted: [volleyOf(20)],
    alone: [],
  };
  const cases: readonly [string, Partial<IsolationTrial>, string][] = [
    ["a whole burst beside an exhausted key keeps it", {}, "kept"],
    [
      "nothing beside an exhausted key, all alone, breaks it",
      { besideExhausted: [volleyOf(0), volleyOf(1)], alone: [volleyOf(20), volleyOf(20)] },
      "broken",
    ],
    [
      "three requests lost to the exhausted key break it",
      { besideExhausted: [volleyOf(17), volleyOf(17)], alone: [volleyOf(20), volleyOf(20)] },
      "broken",
    ],
    [
      "a burst that is small alone as well is not the other key's fault",
      { besideExhausted: [volleyOf(17), volleyOf(17)], alone: [volleyOf(17), volleyOf(17)] },
      "kept",
    ],
    ["an unexhausted other key proves nothing", { refusedOfOthers: 0 }, "inconclusive"],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      expect(decide(perKeyClaim([{ ...whole, ...change }])).verdict).toBe(expected);
    });
  }

  it("is unobserved with one key", () => {
    expect(decide(perKeyClaim([])).verdict).toBe("unobserved");
  });
});

/** As on a way of 150 ms. */
function later(shot: Exchange): Exchange {
  return { ...shot, receivedAtMs: shot.receivedAtMs + 300 };
}

describe("rate.all-endpoints", () => {
  const healthy = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const elsewhere = (admitted: number, route: RouteName = "jobs"): EndpointTrial => ({
    exhaustedBy: [exchangeAt(0, 200), exchangeAt(1, 429)],
    shots: Array.from({ length: 6 }, (_, i) => ({
      ...exchangeAt(10 + i, i < admitted ? 200 : 429),
      route,
    })),
  });
  const judge = (...endpoints: EndpointTrial[]): string => {
    const trial: KeyTrial = { ...healthy, endpoints };
    return decide(allEndpointsClaim([trial])).verdict;
  };

  it("refusals on other endpoints keep it", () => {
    expect(judge(elsewhere(0), elsewhere(1), elsewhere(0))).toBe("kept");
  });
  it("an endpoint that admits all, each time, breaks it", () => {
    expect(judge(elsewhere(6), elsewhere(6), elsewhere(6))).toBe("broken");
  });
  it("a window that rolled over once does not", () => {
    expect(judge(elsewhere(6), elsewhere(0), elsewhere(0))).toBe("kept");
  });
  it("windows that may have begun anew each time, on a long way, leave it in doubt", () => {
    const far = { ...elsewhere(6), shots: elsewhere(6).shots.map(later) };
    expect(judge(far, far, far)).toBe("inconclusive");
  });
  it("two trials are too few", () => {
    expect(judge(elsewhere(0), elsewhere(0))).toBe("inconclusive");
  });
});

describe("rate.rejected-not-run", () => {
  const refused: Exchange = exchangeAt(0, 429);
  const clean: RejectedRound = {
    submissions: [refused, refused],
    listIsWitness: true,
    unexplained: [],
    marked: [],
  };
  const cases: readonly [string, RejectedRound[], string][] = [
    ["no job left behind keeps it", [clean], "kept"],
    ["a job with a refused submission's mark breaks it", [{ ...clean, marked: ["j"] }], "broken"],
    [
      "unexplained jobs in both rounds break it",
      [
        { ...clean, unexplained: ["a"] },
        { ...clean, unexplained: ["b"] },
      ],
      "broken",
    ],
    [
      "an unexplained job in one round only may be another caller's",
      [{ ...clean, unexplained: ["a"] }, clean],
      "inconclusive",
    ],
    [
      "a round in which nothing was refused says nothing",
      [{ ...clean, submissions: [exchangeAt(0, 202)], unexplained: ["a"] }, clean],
      "kept",
    ],
    ["a blind list proves nothing", [{ ...clean, listIsWitness: false }], "unobserved"],
    ["no 429 proves nothing", [{ ...clean, submissions: [exchangeAt(0, 202)] }], "inconclusive"],
    ["no round is unobserved", [], "unobserved"],
  ];
  for (const [name, rounds, expected] of cases) {
    it(name, () => {
      expect(decide(rejectedNotRunClaim({ rounds, reason: "no means" })).verdict).toBe(expected);
    });
  }
});
