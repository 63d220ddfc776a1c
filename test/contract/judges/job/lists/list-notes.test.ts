/** What a list says of its own length, and of jobs that say otherwise themselves, is noted. */

import { describe, expect, it } from "vitest";
import { listNotes } from "../../../../../contract/judges/job/lists/list-notes.ts";
import { answer } from "../../answers.ts";

const NOON_MS = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number) => ({
  sentAtMs: NOON_MS + seconds * 1_000,
  receivedAtMs: NOON_MS + seconds * 1_000 + 40,
});

/** A list at that second, with states by job and other members. */
function list(seconds: number, states: Readonly<Record<string, string>>, others: object = {}) {
  const jobs = Object.entries(states).map(([job_id, status]) => ({ job_id, status }));
  return answer(200, { ...at(seconds), body: JSON.stringify({ jobs, ...others }) });
}

/** A job that was seen in these states. */
function job(issuedId: string, polls: readonly (readonly [seconds: number, status: string])[]) {
  return {
    issuedId,
    polls: polls.map(([seconds, status]) =>
      answer(200, { ...at(seconds), body: JSON.stringify({ job_id: issuedId, status }) }),
    ),
  };
}

describe("states in the job list", () => {
  const ended = job("j1", [
    [1, "RUNNING"],
    [4, "SUCCEEDED"],
  ]);
  it.each([
    [
      "lag behind the job by more than 5 s",
      list(11, { j1: "QUEUED" }),
      "running by itself 10 s before",
    ],
    ["run ahead of it", list(-6, { j1: "SUCCEEDED" }), "running by itself 7 s after"],
    ["tell another end", list(5, { j1: "FAILED" }), "failed in the list, and was completed"],
  ])("are noted where they %s", (_, shown, told) => {
    const other = job("j2", [[4, "SUCCEEDED"]]);
    const notes = listNotes(
      [shown, list(20, { j1: "SUCCEEDED", j2: "SUCCEEDED" })],
      [ended, other],
      false,
    );
    expect(notes).toEqual([expect.stringContaining("shows 1 of 2 jobs in another state")]);
    expect(notes[0]).toContain(told);
  });

  it("are left to the verdict where lists lag for long", () => {
    expect(listNotes([list(40, { j1: "QUEUED" })], [ended], true)).toEqual([]);
    const otherEnd = listNotes([list(40, { j1: "FAILED" })], [ended], true);
    expect(otherEnd).toEqual([expect.stringContaining("failed in the list")]);
  });

  it.each([
    ["lag by less", list(5, { j1: "QUEUED" })],
    ["run ahead by less", list(-3, { j1: "SUCCEEDED" })],
    ["are of others' jobs", list(20, { j9: "QUEUED" })],
    ["are not told", list(20, { j1: "so so" })],
  ])("are no news where they %s", (_, shown) => {
    expect(listNotes([shown], [ended], false)).toEqual([]);
  });
});

describe("the count in the job list", () => {
  const three = { j1: "QUEUED", j2: "QUEUED", j3: "QUEUED" };
  it.each([
    ["total", { total: 0 }],
    ["count in an envelope", { meta: { count: 2 } }],
  ])("is noted where there are more entries: %s", (_, others) => {
    const notes = listNotes([list(1, three, others), list(3, three, others)], [], false);
    expect(notes).toEqual([expect.stringMatching(/tells a count of \d beside 3 entries/)]);
  });

  it.each([
    ["it is right", [list(1, three, { total: 3 }), list(3, three, { total: 3 })]],
    ["more are on later pages", [list(1, three, { total: 9 }), list(3, three, { total: 9 })]],
    ["jobs come meanwhile", [list(1, three, { total: 2 }), list(3, three, { total: 3 })]],
    ["nobody can tell by one list", [list(1, three, { total: 2 })]],
    ["none is told", [list(1, three), list(3, three)]],
  ])("is no news where %s", (_, lists) => {
    expect(listNotes(lists, [], false)).toEqual([]);
  });
});
