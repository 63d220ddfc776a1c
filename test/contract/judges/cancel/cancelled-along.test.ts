/** Jobs that a request to cancel another one takes along. Spec §3.1, §4.6. */

import { describe, expect, it } from "vitest";
import { judgeCancelledAlong } from "../../../../contract/judges/cancel/cancelled-along.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { promisesWith } from "../../findings.ts";
import { answer, at, T0, withJson } from "../answers.ts";

const stamp = (ms: number) => new Date(T0 + ms).toISOString();

interface Ended {
  endMs: number;
  asked?: number;
  worker?: string;
  status?: string;
}

function job({ endMs, asked, worker = "sleep", status = "cancelled" }: Ended, index: number) {
  const job_uuid = `job_${index}`;
  const accepted = { job_uuid, status: "queued", worker, created_at: stamp(2) };
  const ended = { ...accepted, status, completed_at: stamp(endMs), duration_ms: 0, error: null };
  return {
    submission: withJson(202, accepted, at(0)),
    issuedId: job_uuid,
    workerId: worker,
    polls: [withJson(200, ended, at(endMs + 500))],
    cancelRequests: asked === undefined ? [] : [answer(asked, { method: "DELETE", ...at(endMs) })],
    expected: null,
    gaveUpAtMs: null,
    deadlineMs: 0,
  };
}

const ASKED: Ended = { endMs: 2_000, asked: 200 };

describe("jobs that nobody asked to cancel", () => {
  it.each<[string, readonly Ended[], readonly string[]]>([
    ["two end with one that was", [{ endMs: 2_010 }, { endMs: 2_001 }], ["cancel.queued"]],
    ["one ends with it, as the system may cancel it", [{ endMs: 2_010 }], []],
    ["two had ended before, as of a full queue", [{ endMs: 1_990 }, { endMs: 1_985 }], []],
    ["they end at other times", [{ endMs: 4_000 }, { endMs: 7_000 }], []],
    ["some end at other times, too", [{ endMs: 2_010 }, { endMs: 2_001 }, { endMs: 7_000 }], []],
    [
      "they are another worker's",
      [
        { endMs: 2_010, worker: "echo" },
        { endMs: 2_001, worker: "echo" },
      ],
      [],
    ],
    [
      "they complete at that time",
      [
        { endMs: 2_010, status: "completed" },
        { endMs: 2_001, status: "completed" },
      ],
      [],
    ],
  ])("%s", (_, alone, expected) => {
    const readings = readHistories([ASKED, ...alone].map(job));
    expect(promisesWith(judgeCancelledAlong(readings), "broken")).toEqual(expected);
  });

  it("tell nothing by stamps of whole seconds, before which the request may have been sent", () => {
    const early = { endMs: 1_000 };
    const readings = readHistories([{ ...ASKED, endMs: 1_500 }, early, early].map(job));
    expect(judgeCancelledAlong(readings)).toEqual([]);
  });

  it("tell nothing of a request that was refused", () => {
    const readings = readHistories(
      [{ ...ASKED, asked: 409 }, { endMs: 2_010 }, { endMs: 2_001 }].map(job),
    );
    expect(judgeCancelledAlong(readings)).toEqual([]);
  });
});
