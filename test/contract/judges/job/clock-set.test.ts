/** Times that disagree as those of a clock that was set once do, and times that do not. */

import { describe, expect, it } from "vitest";
import type { JobHistory } from "../../../../contract/jobs/job-history.ts";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { Variant } from "../../../../contract/states.ts";
import { findingOf } from "../../findings.ts";
import type { Body, Edit } from "./fixtures.ts";
import { iso, run, T0 } from "./fixtures.ts";
import { times, VARIANTS } from "./table.ts";

/** Moves all times from then on; a duration is by that clock, or by one that nobody sets. */
function setAt(afterMs: number, byMs: number, isSteady = true): Edit {
  return (body) => {
    const told: Body = times(body);
    const before = { ...told };
    for (const name of TIMES) {
      const ms = Date.parse(told[name] ?? "");
      if (ms >= T0 + afterMs) told[name] = iso(ms + byMs);
    }
    if (isSteady || !told.duration_ms) return;
    const end = "finished_at" in told ? "finished_at" : "completed_at";
    told.duration_ms += Date.parse(told[end]) - Date.parse(before[end]);
  };
}

const TIMES = ["created_at", "submitted_at", "started_at", "completed_at", "finished_at"];

function found(promise: string, variant: Variant, edit: Edit) {
  return findingOf(judgeJobs(run({ variant, edit })), promise);
}

describe("a clock that is set once, while jobs run, leaves in doubt", () => {
  it.each([
    ["forward by 1.2 s", "A", "job.timestamps", setAt(3_000, 1_200)],
    ["forward by 1.2 s", "B", "job.timestamps", setAt(3_000, 1_200)],
    ["back by 1.2 s before they start", "B", "job.timestamps", setAt(300, -1_200)],
    ["back by 1.2 s", "A", "job.duration", setAt(3_000, -1_200)],
    ["back by 0.9 s", "B", "job.duration", setAt(3_000, -900)],
    ["forward by 0.9 s", "B", "job.duration", setAt(3_000, 900)],
    ["forward by 1.2 s", "A", "job.duration", setAt(3_000, 1_200, false)],
  ] as const)("%s (%s): %s", (_, variant, promise, edit) => {
    const { verdict, summary } = found(promise, variant, edit);
    expect([verdict, summary]).toEqual(["inconclusive", expect.stringMatching(/a clock that was/)]);
  });
});

describe("a clock that is set once does not explain", () => {
  it("more than a clock is set by", () => {
    for (const variant of VARIANTS) {
      expect(found("job.timestamps", variant, setAt(3_000, 3_000)).verdict).toBe("broken");
    }
  });

  it("what a later submission denies", () => {
    for (const variant of VARIANTS) {
      const wrong = run({ variant, edit: setAt(3_000, 1_200) });
      const [right] = run({ variant, ends: ["completed"], offsetMs: LATER_MS });
      const findings = judgeJobs([...wrong, ...(right === undefined ? [] : [later(right)])]);
      expect(findingOf(findings, "job.timestamps").verdict).toBe("broken");
    }
  });
});

const LATER_MS = 10_000;

/** A job of its own, which was submitted so much later. */
function later(history: JobHistory): JobHistory {
  const moved = (exchange: Exchange): Exchange => ({
    ...exchange,
    body: exchange.body.replaceAll("job-completed", "job-later"),
    sentAtMs: exchange.sentAtMs + LATER_MS,
    receivedAtMs: exchange.receivedAtMs + LATER_MS,
  });
  return {
    ...history,
    issuedId: "job-later",
    submission: moved(history.submission),
    polls: history.polls.map(moved),
  };
}
