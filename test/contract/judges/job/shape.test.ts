/** Judges of the form and identifier of a job object. */

import { describe, expect, it } from "vitest";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { judgeReadings } from "../../../../contract/judges/job.ts";
import type { EndState, Variant } from "../../../../contract/states.ts";
import { VARIANTS } from "../../../../contract/states.ts";
import { findingOf } from "../../findings.ts";
import type { Body, PollPlan } from "./fixtures.ts";
import { iso, pollsTo, run, T0 } from "./fixtures.ts";
import type { Row } from "./table.ts";
import { testTable, times, when } from "./table.ts";

const withoutTimes =
  (...names: readonly string[]) =>
  (body: Body) => {
    for (const name of names) delete times(body)[name];
  };

function polledWith(status: number): readonly PollPlan[] {
  return pollsTo("failed").map((poll) => (poll.state === "running" ? { ...poll, status } : poll));
}

const MODELESS = { run_usd: null, infra_usd: null, billing_mode: null };

const ROWS: readonly Row[] = [
  { name: "the healthy run", scene: {}, breaks: null },
  {
    name: "a body that is an array",
    scene: { edit: when("running", () => []) },
    breaks: "job.shape",
  },
  {
    name: "a running job that is answered with 202",
    scene: { polls: { failed: polledWith(202) } },
    breaks: "job.shape",
  },
  {
    name: "a running job that a proxy answers for the service",
    scene: { polls: { failed: polledWith(203) } },
    breaks: null,
  },
  {
    name: "a poll that is refused",
    scene: { polls: { failed: polledWith(429) } },
    breaks: null,
  },
  {
    name: "a completed job of the other variant",
    only: "B",
    scene: {
      edit: (body, poll) =>
        poll.end === "failed" && poll.index === 0
          ? {
              job_uuid: body.job_id,
              status: "queued",
              worker: "echo",
              created_at: body.timestamps.submitted_at,
            }
          : undefined,
    },
    breaks: "job.shape",
  },
  {
    name: "a failed job of another worker than the accepted object's",
    scene: {
      edit: when("failed", (body) => {
        body["worker" in body ? "worker" : "worker_id"] = "other";
      }),
    },
    breaks: "job.shape",
  },
  {
    name: "a submission a second earlier than the accepted object's",
    scene: {
      edit: (body) => {
        const name = "created_at" in times(body) ? "created_at" : "submitted_at";
        times(body)[name] = iso(T0 + 5 - 1_000);
      },
    },
    breaks: "job.shape",
  },
  {
    name: "a submission 300 ms earlier, by the clock of another machine",
    scene: {
      edit: (body) => {
        const name = "created_at" in times(body) ? "created_at" : "submitted_at";
        times(body)[name] = iso(T0 + 5 - 300);
      },
    },
    breaks: null,
  },
  {
    name: "a job without status",
    scene: { edit: when("running", (body) => void delete body.status) },
    breaks: "job.shape",
  },
  {
    name: "a job without its worker",
    scene: {
      edit: (body) => {
        delete body.worker;
        delete body.worker_id;
      },
    },
    breaks: "job.shape",
  },
  {
    name: "an identifier under the other variant's name",
    only: "B",
    scene: { edit: (body) => ({ ...body, job_id: undefined, job_uuid: body.job_id }) },
    breaks: "job.shape",
  },
  {
    name: "timestamps that are no object",
    only: "B",
    scene: { edit: (body) => ({ ...body, timestamps: "later" }) },
    breaks: "job.shape",
  },
  {
    name: "a completed job without its submission time",
    scene: {
      edit: (body) => {
        delete times(body).created_at;
        delete times(body).submitted_at;
      },
    },
    breaks: "job.shape",
  },
  {
    name: "a completed job without a cost, long after its end",
    scene: {
      polls: { completed: [...pollsTo("completed"), { state: "completed", at: 71_100 }] },
      edit: (body) => {
        delete body.cost;
        delete body.cost_credits;
      },
    },
    breaks: "job.shape",
  },
  ...(["failed", "timeout"] as const).map(
    (state): Row => ({
      name: `a ${state} job without its end`,
      only: "B",
      scene: { edit: when(state, withoutTimes("finished_at", "completed_at")) },
      breaks: "job.shape",
    }),
  ),
  ...(["failed", "timeout"] as const).map(
    (state): Row => ({
      name: `a ${state} job that was never completed`,
      only: "A",
      scene: { edit: when(state, withoutTimes("completed_at")) },
      breaks: null,
    }),
  ),
  {
    name: "a failed job that was charged by no mode",
    only: "B",
    scene: { edit: when("failed", (body) => ({ ...body, cost: { ...MODELESS, total_usd: 0.1 } })) },
    breaks: "job.shape",
  },
  {
    name: "a failed job that was not charged, by no mode",
    only: "B",
    scene: { edit: when("failed", (body) => ({ ...body, cost: { ...MODELESS, total_usd: 0 } })) },
    breaks: null,
  },
  {
    name: "a timed-out job without its duration",
    scene: { edit: when("timeout", withoutTimes("duration_ms")) },
    breaks: "job.shape",
  },
  {
    name: "a timed-out job without its start",
    only: "B",
    scene: { edit: when("timeout", withoutTimes("started_at")) },
    breaks: "job.shape",
  },
  {
    name: "a failed job with start and end and no duration",
    only: "B",
    scene: { edit: when("failed", withoutTimes("duration_ms")) },
    breaks: "job.shape",
  },
  {
    name: "a job that failed before it started",
    scene: { edit: when("failed", withoutTimes("started_at", "duration_ms")) },
    breaks: null,
  },
  {
    name: "a cancelled job without its end",
    scene: { edit: when("cancelled", withoutTimes("finished_at", "completed_at")) },
    breaks: null,
  },
  {
    name: "extra members, also with the other variant's names",
    scene: {
      edit: (body) => ({ job_uuid: "x", job_id: "y", ...body, links: {}, region: "eu" }),
    },
    breaks: null,
  },
  {
    name: "members without a value absent",
    scene: {
      edit: (body) => {
        for (const part of [body, times(body)]) {
          for (const name of Object.keys(part)) if (part[name] === null) delete part[name];
        }
      },
    },
    breaks: null,
  },
  {
    name: "members without a value empty",
    scene: {
      edit: (body) => {
        for (const part of [body, times(body)]) {
          for (const name of Object.keys(part)) if (part[name] === null) part[name] = "";
        }
        if (body.cost === "") body.cost = {};
        if (body.output === "") body.output = { kind: "empty", data: null, items: [], meta: {} };
      },
    },
    breaks: null,
  },
  {
    name: "a job that calls itself otherwise",
    scene: {
      edit: when("completed", (body) => {
        if ("job_id" in body) body.job_id += "0";
        else body.job_uuid += "0";
      }),
    },
    breaks: "job.same-id",
  },
  {
    name: "an answer that is another job's, of another worker, which waits",
    scene: {
      edit: (body, { index }) => {
        if (index !== 2) return;
        const isB = "job_id" in body;
        Object.assign(body, isB ? { job_id: "job_other" } : { job_uuid: "job_other" });
        Object.assign(body, isB ? { worker_id: "other" } : { worker: "other" });
        body.status = isB ? "QUEUED" : "queued";
      },
    },
    breaks: "job.same-id",
  },
];

describe("the form of a job", () => testTable(ROWS));

/** Of jobs whose cost comes after their end, so many were looked at again, and so many were not. */
function told(variant: Variant, again: number, once: number): string | undefined {
  let jobs = 0;
  const histories = run({
    variant,
    ends: Array.from({ length: again + once }, (): EndState => "completed"),
    edit: (body, { index }) => {
      if (index !== pollsTo("completed").length - 2) return;
      delete body.cost;
      delete body.cost_credits;
    },
    history(history) {
      jobs += 1;
      return jobs <= again ? history : { ...history, polls: history.polls.slice(0, -1) };
    },
  });
  return findingOf(judgeReadings(readHistories(histories)), "job.shape").verdict;
}

describe.each(VARIANTS)("costs that come late, in variant %s", (variant) => {
  it.each([
    [12, 0, "kept"],
    [10, 90, "kept"],
    [9, 1, "inconclusive"],
    [0, 3, "inconclusive"],
  ])("of %i jobs that were looked at again and %i that were not: %s", (again, once, verdict) => {
    expect(told(variant, again, once)).toBe(verdict);
  });
});
