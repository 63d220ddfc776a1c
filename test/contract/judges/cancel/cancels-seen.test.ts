/** Cancel requests among what was seen of jobs in passing. Spec §3.2. */

import { describe, expect, it } from "vitest";
import type { EndedAlone } from "../../../../contract/judges/cancel/cancels-seen.ts";
import {
  endedAlone,
  judgeCancelledAlone,
  judgeCancelsSeen,
} from "../../../../contract/judges/cancel/cancels-seen.ts";
import type { EndChange } from "../../../../contract/judges/cancel/end-change.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { State, Variant } from "../../../../contract/states.ts";
import { STATE_SPELLINGS } from "../../../../contract/states.ts";
import { promisesWith } from "../../findings.ts";
import { answer, at, withJson } from "../answers.ts";

type Poll = readonly [atMs: number, state: State];

const TIME = "2026-01-01T00:00:00.000Z";

interface Given {
  status?: number;
  uncancelled?: readonly EndedAlone[];
}

function brokenIn(polls: readonly Poll[], { status = 200, uncancelled = [] }: Given = {}) {
  const cancel = answer(status, { method: "DELETE", ...at(100) });
  const findings = judgeCancelsSeen(readingsOf(polls, [cancel]), uncancelled);
  return promisesWith(findings, "broken");
}

function readingsOf(polls: readonly Poll[], cancelRequests: readonly Exchange[]) {
  const shown = (state: State) => ({
    job_id: "job_1",
    worker_id: "sleep",
    timestamps: { submitted_at: TIME },
    status: STATE_SPELLINGS.B[state],
  });
  const accepted = { job_uuid: "job_1", worker_id: "sleep", status: "QUEUED", submitted_at: TIME };
  return readHistories([
    {
      submission: withJson(202, accepted, at(0)),
      issuedId: "job_1",
      workerId: "sleep",
      polls: polls.map(([ms, state]) => withJson(200, shown(state), at(ms))),
      cancelRequests,
      expected: null,
      gaveUpAtMs: null,
      deadlineMs: 0,
    },
  ]);
}

describe("a cancel that was seen in passing", () => {
  it.each([
    ["cancels a job that was just accepted", [[300, "cancelled"]], []],
    [
      "does nothing to one that waits",
      [
        [2_500, "queued"],
        [9_000, "completed"],
      ],
      ["cancel.queued"],
    ],
    [
      "comes as the job starts",
      [
        [2_500, "running"],
        [9_000, "completed"],
      ],
      [],
    ],
    [
      "leaves a running one alone",
      [
        [50, "running"],
        [2_500, "running"],
        [9_000, "timeout"],
      ],
      [],
    ],
    [
      "stops a running one",
      [
        [50, "running"],
        [2_500, "cancelled"],
      ],
      ["cancel.not-running"],
    ],
    [
      "leaves an ended one alone",
      [
        [50, "completed"],
        [2_500, "completed"],
      ],
      [],
    ],
    [
      "changes an ended one",
      [
        [50, "completed"],
        [2_500, "cancelled"],
      ],
      ["cancel.not-terminal"],
    ],
    ["is of a job whose end nobody saw", [[2_500, "queued"]], []],
  ] as const)("%s", (_what, polls, broken) => {
    expect(brokenIn(polls)).toEqual(broken);
  });

  it.each([401, 404, 405, 429, 500, 0])("tells nothing where it was answered %i", (status) => {
    expect(
      brokenIn(
        [
          [2_500, "queued"],
          [9_000, "completed"],
        ],
        { status },
      ),
    ).toEqual([]);
  });

  it("is not the system's own", () => {
    expect(
      brokenIn(
        [
          [50, "running"],
          [2_500, "cancelled"],
        ],
        { status: 409 },
      ),
    ).toEqual([]);
  });

  it.each([
    ["is the cancel's where others stay as they are", [[9_000, []]], ["cancel.not-terminal"]],
    ["is another fault's where others change as well", [[9_000, ["state"]]], []],
    ["is the cancel's where others change otherwise", [[9_000, ["cost"]]], ["cancel.not-terminal"]],
    ["is open where others were seen for too short a time", [[2_000, []]], []],
    ["is open where no other ended alike", [], []],
  ] as const)("changed an ended job, which %s", (_what, others, broken) => {
    const uncancelled = others.map(([seenForMs, changes]) => {
      return { state: "completed" as const, seenForMs, changes: new Set<EndChange>(changes) };
    });
    const polls = [
      [50, "completed"],
      [2_500, "failed"],
    ] as const;
    expect(brokenIn(polls, { uncancelled })).toEqual(broken);
  });

  it("is not blamed for what was shown before it", () => {
    const showing = (state: State): readonly Poll[] => [
      [10, "completed"],
      [30, state],
      [60, "completed"],
      [2_500, "running"],
      [5_000, "completed"],
    ];
    const alone = { state: "completed", seenForMs: 5_000, changes: new Set<EndChange>() } as const;
    const given = { uncancelled: [alone] };
    expect(brokenIn(showing("running"), given)).toEqual([]);
    expect(brokenIn(showing("completed"), given)).toEqual(["cancel.not-terminal"]);
  });

  it("is compared with jobs that nobody cancelled", () => {
    const polls = [
      [50, "completed"],
      [2_500, "failed"],
    ] as const;
    const alone = endedAlone(readingsOf(polls, []));
    expect(alone).toEqual([
      { state: "completed", seenForMs: expect.any(Number), changes: new Set(["state"]) },
    ]);
    expect(endedAlone(readingsOf(polls, [answer(409, { method: "DELETE", ...at(100) })]))).toEqual(
      [],
    );
  });
});

describe("a job that was cancelled though nobody asked for it", () => {
  const shownAs = (variant: Variant, state: State) =>
    variant === "A"
      ? { job_uuid: "job_1", worker: "sleep", created_at: TIME, status: STATE_SPELLINGS.A[state] }
      : { job_id: "job_1", worker_id: "sleep", status: STATE_SPELLINGS.B[state] };

  it.each([
    ["while it ran", "A", ["queued", "running", "cancelled"], ["cancel.not-running"]],
    ["while it waited", "A", ["queued", "cancelled"], []],
    ["while it waited again", "A", ["running", "queued", "cancelled"], []],
    ["while it ran, by the system", "B", ["queued", "running", "cancelled"], []],
    ["not at all", "A", ["queued", "running", "completed"], []],
  ] as const)("%s, variant %s", (_what, variant, states, broken) => {
    const polls = states.map((state, index) =>
      withJson(200, shownAs(variant, state), at(1_000 * (index + 1))),
    );
    const [reading] = readingsOf([], []);
    const readings = readHistories(reading === undefined ? [] : [{ ...reading.history, polls }]);
    expect(promisesWith(judgeCancelledAlone(readings), "broken")).toEqual(broken);
  });
});
