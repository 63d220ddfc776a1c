/** What a key gets above its plan: answers 429, and what they tell of waiting. */

import { describe, expect, it } from "vitest";
import { limitedClaim } from "../../../../contract/judges/rate/limited.ts";
import { presentClaim, validClaim } from "../../../../contract/judges/rate/refusals.ts";
import {
  longRetryAfterNote,
  notExcessiveClaim,
} from "../../../../contract/judges/rate/retry-after-not-excessive.ts";
import type { KeyTrial } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run/run-plan.ts";
import { brokenIn, judged } from "./judged.ts";
import { exchangeAt, FREE, simulateTrial } from "./simulated-trial.ts";

/** A submission that is refused, with that Retry-After. */
function submission(retryAfter: string | null): Exchange {
  const headers = retryAfter === null ? {} : { "retry-after": retryAfter };
  return { ...exchangeAt(0, 429, headers), method: "POST", route: "submit" };
}

describe("answers above the plan", () => {
  const bucket = { kind: "token-bucket", actual: FREE, promised: FREE } as const;

  it("503 in place of 429 breaks rate.limited", () => {
    const refuseWith = () => ({ status: 503, headers: {} });
    expect(brokenIn({ ...bucket, refuseWith })).toEqual(["rate.limited"]);
  });

  it.each([
    ["none in time, as on a machine that does something else", "timeout", "inconclusive"],
    ["none, as this machine had no descriptors left", "local", "inconclusive"],
    ["a reset in place of 429", "reset", "broken"],
  ] as const)("%s: %s is %s", (_, error, verdict) => {
    const trial = simulateTrial(bucket);
    const without = (shot: Exchange): Exchange =>
      shot.status === 429 ? { ...shot, status: 0, error } : shot;
    const bursts = trial.volleys.map(({ restedMs, shots }) => {
      return { restedMs, shots: shots.map(without) };
    });
    expect(judged(limitedClaim, { ...trial, volleys: bursts }).verdict).toBe(verdict);
  });

  it.each([
    ["at one time, as in a restart", (at: number) => at >= 100 && at < 106, "inconclusive"],
    ["now and then", (at: number) => at % 20 === 0, "broken"],
  ] as const)("503 %s: %s", (_, isFailed, verdict) => {
    const trial = simulateTrial(bucket);
    const overload = [...(trial.drain?.press ?? [])].sort((a, b) => a.sentAtMs - b.sentAtMs);
    const failed = overload.map((shot, at) => (isFailed(at) ? { ...shot, status: 503 } : shot));
    const drain = trial.drain === null ? null : { ...trial.drain, press: failed };
    expect(judged(limitedClaim, { ...trial, drain }).verdict).toBe(verdict);
  });

  it.each([
    ["and another key alike", "away", "inconclusive"],
    ["while another key is served", "served", "broken"],
    ["while nothing else is sent", "silent", "broken"],
  ] as const)("401 to all that a key sends for 5 s, %s", (_, other, verdict) => {
    const trial = simulateTrial(bucket);
    const overload = trial.drain?.press ?? [];
    const fromMs = Math.min(...overload.map(({ sentAtMs }) => sentAtMs)) + 2_000;
    const awayFrom = (shots: readonly Exchange[]) =>
      shots.map((shot): Exchange => {
        const isAway = shot.sentAtMs >= fromMs && shot.sentAtMs < fromMs + 5_000;
        return isAway ? { ...shot, status: 401 } : shot;
      });
    const drain = trial.drain === null ? null : { ...trial.drain, press: awayFrom(overload) };
    const shots = Array.from({ length: 20 }, (_, at) => exchangeAt(fromMs + at * 500, 200));
    const beside = { away: awayFrom(shots), served: shots, silent: [] }[other];
    const second: KeyTrial = {
      ...trial,
      key: "pro",
      volleys: [{ restedMs: 0, shots: beside }],
      drain: null,
      endpoints: [],
    };
    const finding = decide(limitedClaim([{ ...trial, drain }, second]));
    expect(finding.verdict).toBe(verdict);
  });

  it.each([
    ["for 4 s, while others were answered", 4_000, "inconclusive"],
    ["all along", Number.POSITIVE_INFINITY, "broken"],
  ] as const)("503 to the job list %s: %s", (_, forMs, verdict) => {
    const trial = simulateTrial(bucket);
    const overload = trial.drain?.press ?? [];
    const firstMs = Math.min(...overload.map(({ sentAtMs }) => sentAtMs));
    const fromMs = forMs === Number.POSITIVE_INFINITY ? firstMs : firstMs + 1_000;
    const press = overload.map((shot, at): Exchange => {
      if (at % 2 === 0) return shot;
      const isAway = shot.sentAtMs >= fromMs && shot.sentAtMs < fromMs + forMs;
      return { ...shot, route: "jobs", ...(isAway ? { status: 503 } : {}) };
    });
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    expect(judged(limitedClaim, { ...trial, drain }).verdict).toBe(verdict);
  });

  it.each([
    ["the job list fails now and then", "jobs", "broken"],
    ["its own requests fail as well", "me", "kept"],
  ] as const)("503 now and then above the plan, below which %s", (_, route, verdict) => {
    const trial = simulateTrial(bucket);
    const press = (trial.drain?.press ?? []).map((shot, at) =>
      at % 20 === 0 ? { ...shot, status: 503 } : shot,
    );
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    const shots = [exchangeAt(0, 200), { ...exchangeAt(100, 503), route }];
    const below = { offeredPerSecond: 9, shots };
    expect(judged(limitedClaim, { ...trial, drain, below }).verdict).toBe(verdict);
  });

  it.each([
    ["each 50th request, with another key within its plan as well", 50, 20, "kept"],
    ["each 50th request, and none of another key within its plan", 50, null, "broken"],
    ["each second request, and one in 200 of another key within its plan", 2, 200, "broken"],
    ["each tenth request, and one in 200 of another key within its plan", 10, 200, "inconclusive"],
  ] as const)("502 to %s", (_, each, oneOf, verdict) => {
    const trial = simulateTrial(bucket);
    const press = (trial.drain?.press ?? []).map((shot, at) =>
      at % each === 0 ? { ...shot, status: 502 } : shot,
    );
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    const shots = Array.from({ length: 200 }, (_, at) => {
      return exchangeAt(100 * at, oneOf !== null && at % oneOf === 0 ? 502 : 200);
    });
    const below = { offeredPerSecond: 9, shots };
    const other = { ...simulateTrial(bucket), key: "other", below };
    expect(decide(limitedClaim([{ ...trial, drain }, other])).verdict).toBe(verdict);
  });

  it.each([
    ["to all", () => true, "inconclusive"],
    ["to most", (at: number) => at % 20 !== 0, "broken"],
  ] as const)("503 for 2.9 s of an overload, %s", (_, isFailed, verdict) => {
    const trial = simulateTrial(bucket);
    const overload = [...(trial.drain?.press ?? [])].sort((a, b) => a.sentAtMs - b.sentAtMs);
    const fromMs = (overload[0]?.sentAtMs ?? 0) + 1_500;
    const isWithin = ({ sentAtMs }: Exchange) => sentAtMs >= fromMs && sentAtMs < fromMs + 2_900;
    const press = overload.map((shot, at) =>
      isWithin(shot) && isFailed(at) ? { ...shot, status: 503 } : shot,
    );
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    const given = { ...trial, drain, volleys: [], returns: [] };
    expect(judged(limitedClaim, given).verdict).toBe(verdict);
  });

  it.each([
    ["each 20th request, as a way that loses some, with few below it", 20, 30, "inconclusive"],
    ["each 20th request, and none of many below it", 20, 4_000, "broken"],
    ["each second request, and none of few below it", 2, 30, "broken"],
  ] as const)("a reset of %s", (_, each, requestsBelow, verdict) => {
    const trial = simulateTrial(bucket);
    const overload = [...(trial.drain?.press ?? [])].sort((a, b) => a.sentAtMs - b.sentAtMs);
    const press = overload.map((shot, at): Exchange => {
      return at % each === 0 ? { ...shot, status: 0, error: "reset" } : shot;
    });
    const drain = trial.drain === null ? null : { ...trial.drain, press };
    const shots = Array.from({ length: requestsBelow }, (_, at) => exchangeAt(100 * at, 200));
    const below = { offeredPerSecond: 9, shots };
    expect(judged(limitedClaim, { ...trial, drain, below }).verdict).toBe(verdict);
  });

  it.each([
    ["both of two", 2, "inconclusive"],
    ["all of ten, though no other request", 10, "broken"],
  ] as const)("a reset of submissions above the plan, %s: %#", (_, submissions, verdict) => {
    const lost = { ...submission(null), status: 0, error: "reset" } as const;
    const trial = simulateTrial(bucket);
    const inTurn = (_: unknown, at: number) => ({ ...lost, sentAtMs: 2_000 * at });
    const given = { ...trial, submissions: Array.from({ length: submissions }, inTurn) };
    expect(judged(limitedClaim, given).verdict).toBe(verdict);
  });

  it.each([
    ["503 as is all else in those seconds", 503, 0, 0, "inconclusive"],
    ["503 once, and what the key had left is served", 503, FREE.burst, 9_900, "inconclusive"],
    ["503 at two times, and what it had left is served", 503, FREE.burst, 10_000, "broken"],
    ["400 once, which nothing that is away answers", 400, FREE.burst, 9_900, "broken"],
  ] as const)("submissions above the plan: %s", (_, status, served, laterMs, verdict) => {
    const reads = Array.from({ length: 50 }, (_, at) => exchangeAt(1_000, at < served ? 200 : 503));
    const volley = { restedMs: 0, shots: reads };
    const down = { ...exchangeAt(1_000, status), method: "POST", route: "submit" } as const;
    const trial = { ...simulateTrial(bucket), below: null, returns: [], endpoints: [] };
    const drain = { volley, press: [] };
    const later = { ...down, sentAtMs: down.sentAtMs + laterMs };
    const given = { ...trial, volleys: [volley], drain, submissions: [down, later] };
    expect(judged(limitedClaim, given).verdict).toBe(verdict);
  });

  it.each([
    ["each 10 s", [0, 10, 20, 30], 0, "broken"],
    ["for two spells of 9 s, as if they were away", [0, 4, 9, 30, 34, 39], 0, "kept"],
    ["within 20 s", [0, 5, 10, 15], 0, "kept"],
    ["as often as what no limit refuses", [0, 10, 20, 30], 200, "kept"],
  ] as const)("503 of some submissions above the plan, %s", (_, seconds, failedBelow, verdict) => {
    const submissions = seconds.flatMap((second) =>
      [503, 429, 429, 429, 429].map((status) => {
        return { ...submission("1"), status, sentAtMs: second * 1_000 };
      }),
    );
    const shots = Array.from({ length: 1_000 }, (_each, at) => {
      return exchangeAt(100 * at, at < failedBelow ? 503 : 200);
    });
    const trial = { ...simulateTrial(bucket), below: { offeredPerSecond: 9, shots }, submissions };
    expect(judged(limitedClaim, trial).verdict).toBe(verdict);
  });

  it("submissions that this machine could not send say nothing of rate.limited", () => {
    const unsent = { ...submission(null), status: 0, error: "local" } as const;
    const trial = { ...simulateTrial(bucket), submissions: [unsent, unsent, unsent] };
    expect(judged(limitedClaim, trial).verdict).toBe("kept");
  });

  it("no limit at all breaks rate.limited, and the rate and the burst with it", () => {
    const actual = { sustained: 10_000, burst: 100_000 };
    const promises = ["rate.limited", "rate.sustained", "rate.burst"];
    expect(brokenIn({ ...bucket, actual })).toEqual(promises);
  });

  it("a 429 without Retry-After breaks rate.retry-after-present", () => {
    const refuseWith = () => ({ status: 429, headers: {} });
    expect(brokenIn({ ...bucket, refuseWith })).toEqual(["rate.retry-after-present"]);
  });

  it("a 429 without Retry-After to a submission alone breaks rate.retry-after-present", () => {
    const trial = { ...simulateTrial(bucket), submissions: [exchangeAt(0, 202), submission(null)] };
    const { verdict, summary } = judged(presentClaim, trial);
    expect(verdict).toBe("broken");
    expect(summary).toContain("1 of ");
  });

  it("a submission's Retry-After that is a word breaks rate.retry-after-valid", () => {
    const trial = { ...simulateTrial(bucket), submissions: [submission("soon")] };
    expect(judged(validClaim, trial).verdict).toBe("broken");
    expect(judged(presentClaim, trial).verdict).toBe("kept");
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
      const found = judged(validClaim, {
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

  it("a wait 12 s too long breaks rate.retry-after-not-excessive; 8 s are noted", () => {
    const told = (seconds: number) => () => ({
      status: 429,
      headers: { "retry-after": String(seconds) },
    });
    expect(brokenIn({ ...bucket, refuseWith: told(18) })).toEqual([
      "rate.retry-after-not-excessive",
    ]);
    expect(brokenIn({ ...bucket, refuseWith: told(8) })).toEqual([]);
    const noteOf = (seconds: number) =>
      longRetryAfterNote(
        simulateTrial({ ...bucket, refuseWith: told(seconds) }),
        DEFAULT_TOLERANCES,
      );
    expect([18, 8, 2].map(noteOf)).toEqual([null, expect.stringContaining("up to 8 s"), null]);
  });

  it("all refusals that tell too long a wait are counted, whatever others tell", () => {
    let refusals = 0;
    const refuseWith = () => {
      refusals += 1;
      return { status: 429, headers: { "retry-after": refusals % 2 === 0 ? "18" : "1" } };
    };
    const { summary } = judged(notExcessiveClaim, simulateTrial({ ...bucket, refuseWith }));
    const [, faults = 0, samples = 0] =
      /^(\d+) of (\d+) refusals: /.exec(summary)?.map(Number) ?? [];
    expect(faults).toBeGreaterThan(0.4 * samples);
  });
});
