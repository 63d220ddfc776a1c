/** The judge of durations. */

import { describe, expect, it } from "vitest";
import { judgeDuration } from "../../../../contract/judges/job/duration.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import type { Scene } from "./fixtures.ts";
import { iso, pollsTo, run, T0 } from "./fixtures.ts";
import type { Row } from "./table.ts";
import { testTable, times, when } from "./table.ts";

function duration(value: unknown): Omit<Scene, "variant"> {
  return {
    edit: when("completed", (body) => void Object.assign(times(body), { duration_ms: value })),
  };
}

/** Its end, before a clock that was set back at that time could explain it. */
const SOON_SEEN = [
  ...pollsTo("completed").slice(0, -2),
  { state: "completed", at: 5_800 },
] as const;

/** Shown waiting at 9 s; ended at 14 s after a run since `startMs`. `isTold`: from the first. */
function waitedLong(startMs: number, isTold = false): Omit<Scene, "variant"> {
  return {
    ends: ["completed"],
    polls: {
      completed: [
        { state: "queued", at: 9_000 },
        { state: "running", at: 11_000 },
        { state: "completed", at: 14_100 },
      ],
    },
    edit: (body, { state }) => {
      const isShown = state !== "queued" || isTold;
      Object.assign(times(body), {
        started_at: isShown ? iso(T0 + startMs) : null,
        ...(state === "completed" && {
          duration_ms: 14_000 - startMs,
          finished_at: iso(T0 + 14_000),
        }),
      });
    },
  };
}

const ROWS: readonly Row[] = [
  { name: "a duration that is a text", scene: duration("5000"), breaks: "job.duration" },
  { name: "a duration with a fraction", scene: duration(5000.5), breaks: "job.duration" },
  { name: "a negative duration", scene: duration(-1), breaks: "job.duration" },
  { name: "a duration in seconds", only: "B", scene: duration(5), breaks: "job.duration" },
  { name: "a duration longer than job and wait", scene: duration(6_200), breaks: "job.duration" },
  {
    name: "a duration that is shorter than its stamps by more than clocks may differ",
    only: "B",
    scene: duration(4_390),
    breaks: "job.duration",
  },
  {
    name: "a duration that is longer than its stamps by more than clocks may differ",
    only: "B",
    scene: { ...duration(5_610), polls: { completed: SOON_SEEN } },
    breaks: "job.duration",
  },
  {
    name: "a duration between stamps of two machines, one of them 0.5 s behind",
    only: "B",
    scene: duration(5_590),
    breaks: null,
  },
  {
    name: "a duration between stamps of two machines, one of them 0.5 s ahead",
    only: "B",
    scene: duration(4_410),
    breaks: null,
  },
  { name: "a duration by a clock of its own", only: "B", scene: duration(5_003), breaks: null },
  {
    name: "a duration that is the limit, and an end that is stamped 40 ms later",
    only: "B",
    scene: duration(4_960),
    breaks: null,
  },
  { name: "a duration without the start-up", only: "A", scene: duration(4_600), breaks: null },
  {
    name: "a duration of the work alone, much shorter than the job was shown running",
    only: "A",
    scene: duration(1_000),
    breaks: null,
  },
  {
    name: "a duration shorter than it was shown running by a view that lags",
    only: "A",
    scene: duration(3_800),
    breaks: null,
  },
  {
    name: "a duration that began before a view that may lag last showed the job waiting",
    only: "A",
    scene: {
      ends: ["completed"],
      polls: {
        completed: [{ state: "queued", at: 500 }, ...pollsTo("completed").slice(1)],
      },
      edit: when("completed", (body) =>
        Object.assign(body, { duration_ms: 5_700, completed_at: iso(T0 + 6_000) }),
      ),
    },
    breaks: null,
  },
  {
    name: "a duration of nearly all of a job's life, most of which it was shown waiting",
    only: "A",
    scene: {
      ends: ["completed"],
      polls: {
        completed: [{ state: "queued", at: 5_000 }, ...pollsTo("completed").slice(-1)],
      },
      edit: when("completed", (body) =>
        Object.assign(body, { duration_ms: 5_700, completed_at: iso(T0 + 6_000) }),
      ),
    },
    breaks: null,
  },
  {
    name: "a run that began before the job was shown waiting, longer ago than views lag",
    only: "B",
    scene: waitedLong(1_700),
    breaks: "job.duration",
  },
  {
    name: "a run that began before the job was shown waiting, as a view may lag",
    only: "B",
    scene: waitedLong(3_800),
    breaks: null,
  },
  {
    name: "a run that began while the job was shown waiting, with its start",
    only: "B",
    scene: waitedLong(1_700, true),
    breaks: null,
  },
  {
    name: "a duration of all the time since the job was last seen waiting",
    only: "A",
    scene: {
      ends: ["completed"],
      polls: {
        completed: [{ state: "queued", at: 500 }, ...pollsTo("completed").slice(1)],
      },
      edit: when("completed", (body) =>
        Object.assign(body, { duration_ms: 5_500, completed_at: iso(T0 + 6_000) }),
      ),
    },
    breaks: null,
  },
];

describe("the duration of a job", () => testTable(ROWS));

/** Runs of 4.05 s, each so much longer than the one before, with durations made of that. */
function judged(
  count: number,
  told: (spanMs: number) => number,
  longerMs = 45,
  shortestMs = 4_050,
) {
  const jobs = Array.from({ length: count }, (_, at) => {
    const spanMs = shortestMs + longerMs * at;
    const edit = when("completed", ({ timestamps }) => {
      const finished_at = iso(T0 + 500 + spanMs);
      Object.assign(timestamps, { finished_at, duration_ms: told(spanMs) });
    });
    return run({ variant: "B", ends: ["completed"], edit });
  });
  return judgeDuration(readHistories(jobs.flat()));
}

describe("durations in whole seconds", () => {
  const cut = (spanMs: number) => Math.floor(spanMs / 1_000) * 1_000;

  it("are broken where the times of as many runs are not", () => {
    expect(judged(10, cut)).toMatchObject({
      verdict: "broken",
      summary: expect.stringMatching(/duration_ms is 4000, in whole seconds; .* 4050 ms apart/),
    });
  });

  it.each([
    ["of few runs", 9, cut, 45],
    ["and one that is not", 10, (spanMs: number) => (spanMs === 4_050 ? 4_051 : cut(spanMs)), 45],
    ["of runs that are off by as much, as by another clock", 10, cut, 10],
  ])("are let be: %s", (_, count, told, longerMs) => {
    expect(judged(count, told, longerMs).verdict).toBe("kept");
  });
});

describe("durations in tenths of a second", () => {
  const tenths = (spanMs: number) => Math.round(spanMs / 100) * 100;

  it("are broken where the times of as many runs are not", () => {
    expect(judged(10, tenths)).toMatchObject({
      verdict: "broken",
      summary: expect.stringMatching(
        /duration_ms is 4100, in tenths of a second; .* 4050 ms apart/,
      ),
    });
  });

  it.each([
    ["of few runs", 9, tenths, 45],
    ["of runs of one length", 10, () => 4_100, 10],
    ["of runs that are off by as much, as by another clock", 10, tenths, 100],
  ])("are let be: %s", (_, count, told, longerMs) => {
    expect(judged(count, told, longerMs).verdict).toBe("kept");
  });

  it("are let be where the times are in tenths as well", () => {
    const told = (spanMs: number) => spanMs - (spanMs % 300 === 0 ? 100 : 0);
    expect(judged(10, told, 100, 4_000).verdict).toBe("kept");
  });
});

/** Variant A has no start to compare with: jobs that were seen running for so long, one by one. */
function judgedInA(
  runsMs: readonly number[],
  told: (runMs: number) => number,
  state: "completed" | "timeout" = "completed",
) {
  const jobs = runsMs.map((runMs) => {
    const polls = [500, runMs - 500].map((at) => ({ state: "running" as const, at }));
    const ended = [...polls, { state, at: runMs + 100 }];
    const edit = when(state, (body) => {
      const completed_at = iso(T0 + runMs);
      Object.assign(body, { completed_at, duration_ms: told(runMs) });
    });
    return run({ variant: "A", ends: [state], polls: { [state]: ended }, edit });
  });
  return judgeDuration(readHistories(jobs.flat()));
}

describe("durations in seconds, where no start is told", () => {
  const seconds = (runMs: number) => Math.round(runMs / 1_000);

  it("are broken where all long runs have one", () => {
    expect(judgedInA([7_000, 7_010, 20_000, 300], seconds)).toMatchObject({
      verdict: "broken",
      summary: expect.stringContaining("duration_ms is 7, as in seconds, of a job that was seen"),
    });
  });

  it.each([
    ["of few runs", [7_000, 7_010], seconds],
    ["of runs that were not seen to be long", [3_000, 3_000, 3_000], seconds],
    ["beside one that is not", [7_000, 7_010, 7_020], (ms: number) => (ms === 7_000 ? ms : 7)],
    ["of work that is short by itself", [7_000, 8_000, 30_000], () => 7],
    ["of none", [7_000, 7_010, 7_020], () => 0],
    ["of work after start-ups of seconds", [7_000, 7_600, 8_200], (ms: number) => seconds(ms) - 2],
  ])("are let be: %s", (_, runsMs, told) => {
    expect(judgedInA(runsMs, told).verdict).toBe("kept");
  });
});

describe("durations of runs that a limit cut off, where no start is told", () => {
  it.each([
    ["broken: that of their last second", [7_010, 20_012, 20_020], (ms: number) => ms % 1_000],
    ["kept: of a limit of 5 s, after start-ups of 18 s", [23_100, 23_200, 23_900], () => 5_003],
    ["kept: of few runs", [20_012, 20_020], (ms: number) => ms % 1_000],
  ])("are %s", (verdict, runsMs, told) => {
    expect(judgedInA(runsMs, told, "timeout").verdict).toBe(verdict.slice(0, verdict.indexOf(":")));
  });
});

describe("runs that were seen before the start that they tell, where only its end is told", () => {
  it.each([
    ["says so where none is late", [15_000, 14_000], 8_000, /2 shown running up to 6\.0 s before/],
    ["says no such thing of what a view shows that lags", [6_000], 5_800, /d times$/],
  ] as const)("%s", (_, runsMs, told, words) => {
    const { verdict, summary } = judgedInA(runsMs, () => told);
    expect([verdict, summary]).toEqual(["kept", expect.stringMatching(words)]);
  });
});
