/** What the group `rate` notes beside its verdicts. */

import { describe, expect, it } from "vitest";
import { judgeRateLimit } from "../../../contract/judging/rate-limit.ts";
import { windowMs } from "../../../contract/plans.ts";
import type { Observation } from "../../../contract/run/observation.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "../judges/rate/simulated-trial.ts";

/** Answers below the plan's rate, from the 15th on; the others are 200. */
function notes(statuses: readonly number[]): readonly string[] {
  const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const shots = (trial.below?.shots ?? []).map((shot, at) => {
    const status = statuses[at - 15];
    return status === undefined ? shot : exchangeAt(shot.sentAtMs, status, { "retry-after": "1" });
  });
  const value = { ...trial, below: { offeredPerSecond: 9.5, shots } };
  const observations: readonly Observation[] = [{ kind: "rate.key", value }];
  return judgeRateLimit(observations, BASE_PLAN).notes;
}

it.each([
  ["429s within the plan", [429, 429]],
  ["connections that are closed", [0, 0]],
])("%s alone are not noted", (_, statuses) => {
  expect(notes(statuses)).toEqual([]);
});

it("both are noted, as a repeated GET counts twice", () => {
  expect(notes([0, 429, 0, 429, 429])).toEqual([
    expect.stringMatching(
      /^key free-a: 3 requests within the plan got 429, and 2 connections closed without an answer/,
    ),
  ]);
});

describe.each([FREE, PRO])("what a key of %j earns while it is refused", (promised) => {
  const notesOf = (refusedCount: boolean, kind: (typeof KINDS)[number]) => {
    const value = simulateTrial({ kind, actual: promised, promised, refusedCount });
    return judgeRateLimit([{ kind: "rate.key", value }], BASE_PLAN).notes;
  };

  it.each(KINDS.filter((kind) => kind !== "cooldown"))("is its plan's: %s", (kind) => {
    expect(notesOf(false, kind)).toEqual([]);
  });

  it("is its plan's where the last answers of an overload are late", () => {
    const value = simulateTrial({ kind: "token-bucket", actual: promised, promised });
    const press = (value.drain?.press ?? []).map((shot, at, { length }) =>
      at < length - 5 ? shot : { ...shot, receivedAtMs: shot.receivedAtMs + 7_000 },
    );
    const late = { ...value, drain: value.drain && { ...value.drain, press } };
    expect(judgeRateLimit([{ kind: "rate.key", value: late }], BASE_PLAN).notes).toEqual([]);
  });

  it("is its plan's where the generator stood still for three windows again and again", () => {
    const value = simulateTrial({ kind: "token-bucket", actual: promised, promised });
    const limiter = createLimiter("token-bucket", { ...promised, refusedCount: false });
    const stallMs = 3 * windowMs(promised);
    const press = Array.from({ length: 30 * promised.burst }, (_, at) => {
      const dueMs = (at * 1_000) / (2 * promised.sustained);
      const sentAtMs = 1_000_000 + Math.ceil(dueMs / stallMs) * stallMs;
      return exchangeAt(sentAtMs, limiter.take(sentAtMs).admitted ? 200 : 429);
    });
    const late = { ...value, drain: value.drain && { ...value.drain, press } };
    expect(judgeRateLimit([{ kind: "rate.key", value: late }], BASE_PLAN).notes).toEqual([]);
  });

  it("is noted where it is less", () => {
    const [note] = notesOf(true, "sliding-log");
    expect(note).toMatch(/^while they were refused, keys got less .*: free-a [\d.]+ of \d+\/s; /);
  });
});
