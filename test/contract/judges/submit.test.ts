/** Judges of accepted submissions. */

import { describe, expect, it } from "vitest";
import { ACCEPTED_PROMISES, judgeAccepted } from "../../../contract/judges/submit.ts";
import type { Variant } from "../../../contract/states.ts";
import { promisesWith } from "../findings.ts";
import type { Body, Scene } from "./job/fixtures.ts";
import { run } from "./job/fixtures.ts";
import { VARIANTS } from "./job/table.ts";

interface Row {
  name: string;
  only?: Variant;
  scene: Omit<Scene, "variant">;
  breaks: string | null;
}

function accepted(change: (body: Body) => unknown): Omit<Scene, "variant"> {
  return { editAccepted: (body, end) => (end === "failed" ? change(body) : undefined) };
}

function answered(status: number): Omit<Scene, "variant"> {
  return {
    history: (history) => ({ ...history, submission: { ...history.submission, status } }),
  };
}

const ROWS: readonly Row[] = [
  { name: "the healthy run", scene: {}, breaks: null },
  { name: "an answer of 200", scene: answered(200), breaks: "submit.accepted-status" },
  { name: "an answer of 201", scene: answered(201), breaks: "submit.accepted-status" },
  {
    name: "an object without job_uuid",
    scene: accepted((body) => ({ ...body, job_uuid: undefined, job_id: body.job_uuid })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "an object that says running",
    scene: accepted((body) => ({ ...body, status: body.worker ? "running" : "RUNNING" })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "a status in the other variant's spelling",
    scene: accepted((body) => ({ ...body, status: body.worker ? "QUEUED" : "queued" })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "another worker's identifier",
    scene: accepted((body) => ({ ...body, [body.worker ? "worker" : "worker_id"]: "other" })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "no worker",
    scene: accepted((body) => ({ ...body, worker: undefined, worker_id: undefined })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "no time",
    scene: accepted((body) => ({ ...body, created_at: undefined, submitted_at: undefined })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "a time without milliseconds, which may have been zeros",
    only: "B",
    scene: accepted((body) => ({ ...body, submitted_at: "2026-01-02T03:04:05Z" })),
    breaks: null,
  },
  {
    name: "times without milliseconds",
    only: "B",
    scene: {
      editAccepted: (body, { length }) => {
        return { ...body, submitted_at: `2026-01-02T03:04:${10 + length}Z` };
      },
    },
    breaks: "submit.accepted-shape",
  },
  {
    name: "a time in whole seconds",
    only: "A",
    scene: accepted((body) => ({ ...body, created_at: "2026-01-02T03:04:05Z" })),
    breaks: null,
  },
  {
    name: "a time in another zone",
    only: "A",
    scene: accepted((body) => ({ ...body, created_at: "2026-01-02T04:04:05+01:00" })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "an estimate that is a text",
    only: "A",
    scene: accepted((body) => ({ ...body, cost_estimate_credits: "2" })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "no estimate",
    only: "A",
    scene: accepted((body) => ({ ...body, cost_estimate_credits: null })),
    breaks: null,
  },
  {
    name: "the other variant's object",
    only: "B",
    scene: accepted((body) => ({
      job_uuid: body.job_uuid,
      status: "queued",
      worker: "echo",
      cost_estimate_credits: 1,
      created_at: body.submitted_at,
    })),
    breaks: "submit.accepted-shape",
  },
  {
    name: "a body that is a text",
    scene: accepted(() => "accepted"),
    breaks: "submit.accepted-shape",
  },
  {
    name: "extra members",
    scene: accepted((body) => ({ ...body, job_id: body.job_uuid, links: {} })),
    breaks: null,
  },
  {
    name: "an identifier given twice",
    scene: accepted((body) => ({ ...body, job_uuid: "job-completed" })),
    breaks: "submit.unique-id",
  },
];

describe("accepted submissions", () => {
  const cases = ROWS.flatMap((row) =>
    VARIANTS.filter((variant) => (row.only ?? variant) === variant).map((variant) => ({
      ...row,
      title: `${row.name} (${variant}) breaks ${row.breaks ?? "nothing"}`,
      variant,
    })),
  );
  it.each(cases)("$title", ({ scene, variant, breaks }) => {
    const findings = judgeAccepted(run({ ...scene, variant }));
    expect(promisesWith(findings, "broken")).toEqual(breaks === null ? [] : [breaks]);
    if (breaks === null) expect(promisesWith(findings, "kept")).toEqual([...ACCEPTED_PROMISES]);
  });

  it.each([402, 422, 429, 500, 0])("an answer of %i is not judged", (status) => {
    const findings = judgeAccepted(run({ variant: "A", ...answered(status) }));
    expect(promisesWith(findings, "unobserved")).toEqual([...ACCEPTED_PROMISES]);
  });

  it("one identifier alone says nothing of uniqueness", () => {
    const findings = judgeAccepted(run({ variant: "B", ends: ["completed"] }));
    expect(promisesWith(findings, "unobserved")).toEqual(["submit.unique-id"]);
  });
});
