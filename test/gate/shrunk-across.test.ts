/** A key's lists of one run are held against those of another run of the gate. */

import { expect, it } from "vitest";
import type { OwnJob } from "../../contract/judges/job/lists/list-limit.ts";
import type { ListAfter, ListLimitSeen } from "../../contract/judges/steps.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { shrunkAcross } from "../../gate/shrunk-across.ts";
import { answer } from "../contract/judges/answers.ts";
import { recordedRun } from "./recorded-run.ts";

const AT_MS = Date.UTC(2026, 0, 1, 12);
/** From the first list to the second. */
const LATER_MS = 30_000;

/** Ended a second after it was accepted. */
function job(id: string, sentAtMs: number): OwnJob {
  return { id, sentAtMs, receivedAtMs: sentAtMs + 10, settledAtMs: sentAtMs + 1_010 };
}

const EARLY = ["job_1", "job_2", "job_3"].map((id, at) => job(id, AT_MS - 5_000 + 100 * at));
const LATE = ["job_4", "job_5"].map((id, at) => job(id, AT_MS + 15_000 + 100 * at));

function list(key: string, sentAtMs: number, jobs: readonly OwnJob[]): Exchange {
  const entries = jobs.map(({ id }) => ({ job_uuid: id, status: "completed" }));
  const body = JSON.stringify({ jobs: entries });
  return { ...answer(200, { route: "jobs", body, sentAtMs, receivedAtMs: sentAtMs + 10 }), key };
}

function contract(seen: Exchange) {
  const value: ListLimitSeen = { list: seen, own: EARLY, without: "" };
  return recordedRun("contract", "contract.list-limit", value);
}

function soak(seen: Exchange) {
  const after = { key: seen.key ?? "", list: seen, own: LATE, leftOut: null, foreignIds: [] };
  const value: readonly ListAfter[] = [after];
  return recordedRun("soak", "soak.job-lists", value);
}

const BEFORE = contract(list("left", AT_MS, EARLY));
const later = (jobs: readonly OwnJob[], key = "left") => soak(list(key, AT_MS + LATER_MS, jobs));

it.each([
  ["is shorter, with a new job", later(LATE), ["broken"]],
  ["is as long, with later jobs in the place of earlier ones", later([...EARLY.slice(2), ...LATE])],
  ["has grown", later([...EARLY, ...LATE])],
  ["is shorter, and shows no new job", later(EARLY.slice(0, 2))],
  ["is another key's", later(LATE, "right")],
  [
    "is shorter, and lacks the earlier of its new jobs alone",
    later([...LATE.slice(1)]),
    ["broken"],
  ],
  ["was asked for a minute later", soak(list("left", AT_MS + 60_000, LATE))],
  [
    "was asked for a minute later, and lacks a job that came in between",
    soak(list("left", AT_MS + 60_000, LATE.slice(1))),
    ["broken"],
  ],
] as const)("a list of another run that %s", (_, after, verdicts: readonly string[] = []) => {
  for (const runs of [
    [BEFORE, after],
    [after, BEFORE],
  ]) {
    expect(shrunkAcross(runs).map(({ verdict }) => verdict)).toEqual(verdicts);
  }
});

it("tells both lists", () => {
  const [finding] = shrunkAcross([BEFORE, later(LATE)]);
  expect(finding?.promise).toBe("job.list-limit");
  expect(finding?.summary).toMatch(
    /^2 jobs are listed, with job_5, which is new, and without job_1, which was among 3 listed/,
  );
});
