/** Jobs of variant A that are shown running while they start up, as no state tells of that. */

import { describe, expect, it } from "vitest";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { boundsOf } from "../../../../contract/judges/timeout/bounds.ts";
import { judgeTimeouts, limitTrial } from "../../../../contract/judges/timeout/index.ts";
import { NO_LAG } from "../../../../contract/judges/timeout/limited-job.ts";
import { shownEarlyOf, typicalShownEarly } from "../../../../contract/judges/timeout/start-up.ts";
import { TIMEOUTS, underLoadClaim } from "../../../../contract/judges/timeout/under-load.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { State } from "../../../../contract/states.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { at, T0, withJson } from "../answers.ts";

const BOUNDS = boundsOf(20, BASE_PLAN.times);

/** Submitted at 0, polled each second; it is shown running for a while before its run. */
function job(state: State, earlyMs: number, ranMs: number, statedMs: number | null = ranMs) {
  const endMs = earlyMs + ranMs;
  // Not at the full second, whose zeros may be all that a store keeps.
  const iso = (ms: number) => new Date(T0 + 3 + ms).toISOString();
  const common = { job_uuid: "job-1", worker: "nap", created_at: iso(0) };
  const told = { completed_at: iso(endMs), duration_ms: statedMs, cost_credits: 0 };
  const running = Array.from({ length: Math.floor(endMs / 1_000) }, (_, n) =>
    withJson(200, { ...common, status: "running" }, at(100 + n * 1_000)),
  );
  const history = {
    submission: withJson(202, { ...common, status: "queued" }, at(0)),
    issuedId: `job-${state}-${earlyMs}-${ranMs}`,
    workerId: "nap",
    polls: [...running, withJson(200, { ...common, status: state, ...told }, at(endMs + 50))],
    cancelRequests: [],
    expected: "timeout",
    gaveUpAtMs: null,
    deadlineMs: 60_000,
  } as const;
  return { history, lag: NO_LAG };
}

function lateness(beyond: ReturnType<typeof job>, earlyMs: readonly number[]): string {
  const below = earlyMs.map((ms, n) => job("completed", ms, 15_000 + n));
  const common = { bounds: BOUNDS, balance: null, without: "" };
  const found = judgeTimeouts(limitTrial({ ...common, beyond: [beyond], below }));
  return found.find(({ promise }) => promise === "timeout.not-late")?.verdict ?? "";
}

describe("a job of a limit of 20 s that is shown running for 8 s more", () => {
  it("was late where completed jobs run as long as they are shown to", () => {
    expect(lateness(job("timeout", 8_000, 20_000), [0, 0, 0])).toBe("broken");
  });

  it("was late where single ones of them do, as after a rerun", () => {
    expect(lateness(job("timeout", 8_000, 20_000), [0, 8_000, 0])).toBe("broken");
  });

  it("was in time where they are shown running for as much longer", () => {
    expect(lateness(job("timeout", 8_000, 20_000), [8_000, 8_000, 8_000])).toBe("kept");
  });

  it("was late where it tells so itself", () => {
    expect(lateness(job("timeout", 8_000, 28_000), [8_000, 8_000, 8_000])).toBe("broken");
  });

  it("was late where it is shown so for longer than they are", () => {
    expect(lateness(job("timeout", 16_000, 20_000), [8_000, 8_000, 8_000])).toBe("broken");
  });
});

describe("how long a job is shown running before it does", () => {
  it.each<[string, number, number | null, number | null]>([
    ["by its stamps", 6_000, 15_000, 5_890],
    ["not at all", 0, 15_000, -110],
    ["unknown without a duration", 6_000, null, null],
  ])("is %s", (_, earlyMs, statedMs, shown) => {
    const [reading] = readHistories([job("completed", earlyMs, 15_000, statedMs).history]);
    const found = reading === undefined ? null : shownEarlyOf(reading);
    expect(found === null ? null : Math.abs(found - (shown ?? 0)) < 20).toBe(
      shown === null ? null : true,
    );
  });

  it.each<[readonly number[], number]>([
    [[6_000], 0],
    [[6_000, 6_100], 6_000],
    [[0, 6_000], 0],
    [[0, 6_000, 0, 0], 0],
    [[1_900, 1_900, 1_900], 0],
  ])("of jobs that show %j is %i ms", (shown, typicalMs) => {
    expect(typicalShownEarly(shown)).toBe(typicalMs);
  });
});

describe("jobs of a load that are late", () => {
  it.each([
    ["by more than jobs are shown early", 3_000, "broken"],
    ["by no more than that", 6_000, "inconclusive"],
  ])("%s", (_, shownEarlyMs, verdict) => {
    const tally = { ...TIMEOUTS.empty(), judged: 20, timedOut: 20, shownEarlyMs };
    const late = { count: 20, kept: [], beyondMsMax: 4_000 };
    expect(decide(underLoadClaim({ ...tally, late }, 0, "none", [])).verdict).toBe(verdict);
  });
});
