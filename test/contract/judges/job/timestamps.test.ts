/** The judge of timestamps. */

import { describe, expect, it } from "vitest";
import type { Told } from "../../../../contract/judges/job/timestamps.ts";
import { shortStamps } from "../../../../contract/judges/job/timestamps.ts";
import { parseTimestamp } from "../../../../contract/time/timestamps.ts";
import { at, withJson } from "../answers.ts";
import type { Body } from "./fixtures.ts";
import { iso, T0 } from "./fixtures.ts";
import type { Row } from "./table.ts";
import { testTable, times, when } from "./table.ts";

/** So many ms before the submission; the duration is that of the run. */
function startedBefore(ms: number) {
  return ({ timestamps }: Body) => {
    if (!timestamps?.started_at) return;
    const startedMs = Date.parse(timestamps.submitted_at) - ms;
    timestamps.started_at = iso(startedMs);
    if (!timestamps.finished_at) return;
    timestamps.duration_ms = Date.parse(timestamps.finished_at) - startedMs;
  };
}

/** So many ms before the start, with a duration to match it. */
function endedBeforeStart(ms: number) {
  return when("completed", ({ timestamps }: Body) => {
    if (!timestamps?.started_at) return;
    timestamps.finished_at = iso(Date.parse(timestamps.started_at) - ms);
    timestamps.duration_ms = 0;
  });
}

/** So many ms after the run's first request. */
function endingAt(ms: number) {
  return (body: Body) => {
    times(body)["completed_at" in body ? "completed_at" : "finished_at"] = iso(T0 + ms);
  };
}

const ROWS: readonly Row[] = [
  {
    name: "times in another zone",
    scene: {
      edit: (body) => {
        for (const name of ["created_at", "submitted_at"]) {
          const text = times(body)[name];
          if (text) times(body)[name] = text.replace("Z", "+01:00");
        }
      },
    },
    breaks: "job.timestamps",
  },
  {
    name: "times with an offset of nothing",
    scene: {
      edit: (body) => {
        for (const name of ["created_at", "submitted_at", "finished_at", "completed_at"]) {
          const text = times(body)[name];
          if (text) times(body)[name] = text.replace("Z", "+00:00");
        }
      },
    },
    breaks: null,
  },
  {
    name: "times as numbers",
    scene: {
      edit: (body) => {
        if ("created_at" in body) body.created_at = T0 + 5;
        else body.timestamps.submitted_at = T0 + 5;
      },
    },
    breaks: "job.timestamps",
  },
  {
    name: "an impossible date",
    scene: {
      edit: when("completed", (body) => {
        if ("completed_at" in body) body.completed_at = "2026-02-30T00:00:00.000Z";
        else body.timestamps.finished_at = "2026-02-30T00:00:00.000Z";
      }),
    },
    breaks: "job.timestamps",
  },
  {
    name: "times in tenths of seconds",
    only: "B",
    scene: {
      edit: ({ timestamps }) => {
        for (const name of ["submitted_at", "started_at", "finished_at"]) {
          timestamps[name] &&= timestamps[name].replace(/(\.\d)\d+/, "$1");
        }
      },
    },
    breaks: "job.timestamps",
  },
  {
    name: "one time without milliseconds, which may have been zeros",
    only: "B",
    scene: {
      edit: ({ timestamps }) => {
        timestamps.submitted_at = timestamps.submitted_at.replace(/\.\d+/, "");
      },
    },
    breaks: null,
  },
  {
    name: "a run from one full second to another, as long as it is said to be",
    only: "B",
    scene: {
      edit: when("completed", ({ timestamps }: Body) => {
        timestamps.submitted_at = timestamps.submitted_at.replace(/\.\d+/, "");
        timestamps.started_at = timestamps.started_at.replace(/\.\d+/, "");
        const endMs = Date.parse(timestamps.started_at) + 2_000;
        timestamps.finished_at = iso(endMs).replace(".000", "");
        timestamps.duration_ms = 2_000;
      }),
    },
    breaks: null,
  },
  {
    name: "times in whole seconds",
    only: "A",
    scene: {
      edit: (body) => {
        for (const name of ["created_at", "completed_at"]) {
          if (body[name]) body[name] = body[name].replace(/\.\d+/, "");
        }
      },
    },
    breaks: null,
  },
  {
    name: "an end before the submission",
    scene: {
      edit: when("completed", (body) => {
        if ("completed_at" in body) body.completed_at = iso(T0 - 600);
        else body.timestamps.finished_at = iso(T0 - 600);
      }),
    },
    breaks: "job.timestamps",
  },
  {
    name: "a start before the submission",
    only: "B",
    scene: {
      edit: startedBefore(600),
    },
    breaks: "job.timestamps",
  },
  {
    name: "a start a little before the submission, by the clock of another machine",
    only: "B",
    scene: {
      edit: startedBefore(5),
    },
    breaks: null,
  },
  {
    name: "an end a little before the start, by the clock of another machine",
    only: "B",
    scene: { edit: endedBeforeStart(400) },
    breaks: null,
  },
  {
    name: "an end before the start by more than clocks may differ",
    only: "B",
    scene: { edit: endedBeforeStart(600) },
    breaks: "job.timestamps",
  },
  {
    name: "an end in the future",
    scene: {
      edit: when("completed", (body) => {
        if ("completed_at" in body) body.completed_at = iso(T0 + 12_000);
        else body.timestamps.finished_at = iso(T0 + 12_000);
      }),
    },
    breaks: "job.timestamps",
  },
  {
    name: "an end told while the job runs, long before it comes",
    scene: { edit: when("running", endingAt(900)) },
    breaks: "job.timestamps",
  },
  {
    name: "an end that a view tells before the state",
    scene: {
      edit: (body, { state, index }) =>
        state === "running" && index === 2 ? endingAt(5_400)(body) : undefined,
    },
    breaks: null,
  },
  {
    name: "one submission in the future",
    only: "A",
    scene: {
      edit: (body, poll) => {
        if (poll.end === "cancelled" && poll.index === 0) body.created_at = iso(T0 + 3_600_000);
      },
    },
    breaks: "job.timestamps",
  },
  { name: "a clock an hour ahead", scene: { offsetMs: 3_600_000 }, breaks: null },
  { name: "a clock an hour behind", scene: { offsetMs: -3_600_000 }, breaks: null },
];

describe("the times of a job", () => testTable(ROWS));

describe("ends at full seconds that durations contradict", () => {
  const ends = (count: number, from: number, text: string, agrees: boolean): Told[] =>
    Array.from({ length: count }, (_, index) => {
      const time = parseTimestamp(text);
      if (time === null) throw new Error(`no time: ${text}`);
      const exchange = withJson(200, {}, { ...at(0), path: `/v1/jobs/${from + index}` });
      const isZeroed = time.ms % 1_000 === 0 && !agrees;
      return { time, path: "timestamps.finished_at", exchange, isWhole: agrees, isZeroed };
    });
  const zeroed = ends(8, 0, "2026-01-02T03:04:05.000Z", false);

  it("break job.timestamps where the times of other jobs agree with theirs", () => {
    const [fault] = shortStamps([...zeroed, ...ends(40, 8, "2026-01-02T03:04:05.678Z", true)]);
    expect(fault?.what).toContain("to the second: duration_ms tells another time");
  });

  it("are chance where the clocks of two machines differ for all", () => {
    expect(shortStamps([...zeroed, ...ends(92, 8, "2026-01-02T03:04:05.678Z", false)])).toEqual([]);
  });
});
