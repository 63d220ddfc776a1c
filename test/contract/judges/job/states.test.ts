/** Judges of the states of a job, up to its end and after. */

import { describe } from "vitest";
import type { Body, Edit } from "./fixtures.ts";
import { fileEntry, pollsTo } from "./fixtures.ts";
import type { Row } from "./table.ts";
import { testTable, when } from "./table.ts";

function emptyOutput(meta: object): Body {
  return { kind: "empty", data: null, items: [], meta };
}

/** Of the completed job, the polls that show it without its cost. */
function withoutCostAt(indices: readonly number[]): Edit {
  return (body, poll) => {
    if (poll.state !== "completed" || !indices.includes(poll.index)) return;
    if ("cost_credits" in body) body.cost_credits = null;
    else body.cost = null;
  };
}

const ROWS: readonly Row[] = [
  {
    name: "an undocumented state",
    scene: { edit: when("running", (body) => Object.assign(body, { status: "PROCESSING" })) },
    breaks: "job.known-states",
  },
  {
    name: "a state in other letter case",
    scene: { edit: when("running", (body) => Object.assign(body, { status: "Running" })) },
    breaks: "job.known-states",
  },
  {
    name: "a state in the other variant's spelling",
    scene: {
      edit: when("running", (body) => {
        body.status = body.status === "running" ? "RUNNING" : "running";
      }),
    },
    breaks: "job.known-states",
  },
  {
    name: "an undocumented end",
    scene: { edit: when("timeout", (body) => Object.assign(body, { status: "EXPIRED" })) },
    breaks: "job.known-states",
  },
  {
    name: "a running job that is queued again",
    scene: {
      polls: {
        failed: [
          { state: "running", at: 100 },
          { state: "queued", at: 1_000 },
          { state: "running", at: 1_200 },
          ...pollsTo("failed").slice(3),
        ],
      },
    },
    breaks: "job.forward-only",
  },
  {
    name: "a job that is shown waiting once, and ran as long as it was seen",
    scene: {
      polls: {
        completed: [
          { state: "running", at: 1_000 },
          { state: "queued", at: 2_000 },
          { state: "running", at: 3_000 },
          ...pollsTo("completed").slice(3),
        ],
      },
    },
    breaks: "job.forward-only",
  },
  {
    name: "a starting job that was running",
    only: "B",
    scene: {
      polls: {
        completed: [
          { state: "running", at: 600 },
          { state: "starting", at: 700 },
          ...pollsTo("completed").slice(3),
        ],
      },
    },
    breaks: "job.forward-only",
  },
  {
    name: "a job that is queued again late in its run",
    scene: {
      polls: {
        completed: [
          { state: "queued", at: 100 },
          { state: "running", at: 1_000 },
          { state: "queued", at: 5_000 },
          ...pollsTo("completed").slice(3),
        ],
      },
    },
    breaks: "job.forward-only",
  },
  {
    name: "states skipped",
    scene: { polls: { completed: pollsTo("completed").slice(3) } },
    breaks: null,
  },
  {
    name: "an ended job that runs again",
    scene: {
      polls: { completed: [...pollsTo("completed"), { state: "running", at: 9_000 }] },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "a failed job that is completed later",
    scene: { polls: { failed: [...pollsTo("failed"), { state: "completed", at: 9_000 }] } },
    breaks: "job.terminal-final",
  },
  {
    name: "a result that changes after the end",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed" || poll.index < 4) return;
        if ("result" in body) body.result.nested.list[1] = 3;
        else body.output.data.text = "ho";
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "an output that is empty at first",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "completed" && poll.index < 4) body.output = emptyOutput({});
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "an output that stays empty, with more about the run later",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "completed") body.output = emptyOutput({ polls: poll.index });
      },
    },
    breaks: null,
  },
  {
    name: "a cost that changes after the end",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed" || poll.index < 4) return;
        if ("cost_credits" in body) body.cost_credits = 3;
        else Object.assign(body.cost, { total_usd: 0.4, run_usd: 0.2 });
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "a cost that is told late, by one of two views a second sooner",
    scene: {
      polls: {
        completed: [
          ...pollsTo("completed"),
          ...[9_000, 9_500, 12_000].map((at) => ({ state: "completed", at }) as const),
        ],
      },
      edit: withoutCostAt([3, 4, 6]),
    },
    breaks: null,
  },
  {
    name: "a cost that is told late and changes",
    scene: {
      polls: {
        completed: [
          ...pollsTo("completed"),
          ...[9_000, 12_000].map((at) => ({ state: "completed", at }) as const),
        ],
      },
      edit: (body, poll) => {
        withoutCostAt([3, 4])(body, poll);
        if (poll.state !== "completed" || poll.index < 6) return;
        if ("cost_credits" in body) body.cost_credits += 1;
        else Object.assign(body.cost, { total_usd: 0.4, run_usd: 0.2 });
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "a failed job whose cost is settled after its end",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "failed" || poll.index < 4) return;
        if ("cost_credits" in body) body.cost_credits = 1;
        else body.cost = { total_usd: 1, run_usd: 1, infra_usd: 0, billing_mode: "per_run" };
      },
    },
    breaks: null,
  },
  {
    name: "a completed job that has no files at first",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "completed" && poll.index < 4) body.files = [];
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "a completed job whose files are lost",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "completed" && poll.index === 4) body.files = [];
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "a failed job that shows files after its end",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "failed" && poll.index === 4) body.files = [fileEntry()];
      },
    },
    breaks: null,
  },
  {
    name: "a file address signed anew",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state === "completed") body.files[0].url += poll.index;
      },
    },
    breaks: null,
  },
  {
    name: "files in another order",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed") return;
        const files = [fileEntry(), { ...fileEntry(), id: "file-2" }];
        body.files = poll.index < 4 ? files : files.reverse();
      },
    },
    breaks: null,
  },
  {
    name: "another file in place of one",
    only: "B",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed") return;
        const second = { ...fileEntry(), id: poll.index < 4 ? "file-2" : "file-0" };
        body.files = [fileEntry(), second];
      },
    },
    breaks: "job.terminal-final",
  },
  {
    name: "names of a result in another order",
    only: "A",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed" || poll.index < 4) return;
        body.result = { nested: body.result.nested, text: body.result.text };
      },
    },
    breaks: null,
  },
  {
    name: "a result with an address signed anew",
    only: "A",
    scene: {
      edit: (body, poll) => {
        if (poll.state !== "completed") return;
        body.result.files = [{ url: `https://storage.example.com/a?signature=${poll.index}` }];
      },
    },
    breaks: null,
  },
];

describe("the states of a job", () => testTable(ROWS));
