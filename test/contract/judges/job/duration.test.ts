/** The judge of durations. */

import { describe } from "vitest";
import type { Scene } from "./fixtures.ts";
import { iso, pollsTo, T0 } from "./fixtures.ts";
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
