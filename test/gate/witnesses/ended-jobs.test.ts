/** Ended jobs are read again at the very end: only what that contradicts is told. */

import { describe, expect, it } from "vitest";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { OBSERVATION_VERSION } from "../../../contract/run/observation.ts";
import type { EndState } from "../../../contract/states.ts";
import { endedJobsWitness } from "../../../gate/witnesses/ended-jobs.ts";
import type { EndedJob } from "../../../gate/witnesses/submitted-jobs.ts";
import { endedJobs } from "../../../gate/witnesses/submitted-jobs.ts";
import type { Body } from "../../contract/judges/job/fixtures.ts";
import { exchange, jobBody, run, T0 } from "../../contract/judges/job/fixtures.ts";
import { contextFor } from "./context.ts";

const MINUTES_LATER = T0 + 300_000;

/** What the last look at one job is answered, later ones as the last of them. */
type Answer = { status: number; edit?: (body: Body) => Body };

async function told(answers: readonly Answer[], change: (one: JobHistory) => JobHistory = same) {
  const histories = run({ variant: "B", ends: ["completed"] }).map(change);
  const ended = histories.map((history): EndedJob => ({ role: "timeout", history }));
  const asked: { role: string; job: string; atMs: number }[] = [];
  let nowMs = MINUTES_LATER;
  const askAs = async (role: EndedJob["role"], job: string): Promise<Exchange> => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 200 };
    asked.push({ role, job, atMs: nowMs });
    const body = jobBody("B", "completed", job);
    const text = JSON.stringify(answer.edit?.(body) ?? body);
    const times = { sentAtMs: nowMs, receivedAtMs: nowMs + 10 };
    return exchange({ status: answer.status, body: answer.status === 200 ? text : "", ...times });
  };
  const pause = async (ms: number) => {
    nowMs += ms;
  };
  const { plan } = contextFor("http://localhost");
  const rest = { plan, jobs: [], download: () => Promise.reject(new Error("none")) };
  const scene = { ...rest, ended, askAs, pause, nowMs: () => nowMs };
  const { finding, besides = [] } = await endedJobsWitness.look(() => askAs("caller", ""), scene);
  expect(finding.verdict).toBe("unobserved");
  return { asked, broken: besides.map(({ promise, verdict }) => `${promise} ${verdict}`) };
}

const same = (history: JobHistory) => history;

describe("jobs that ended minutes ago", () => {
  it("are read with the key that submitted them, once", async () => {
    const { asked, broken } = await told([{ status: 200 }]);
    expect(broken).toEqual([]);
    expect(asked).toMatchObject([{ role: "timeout" }]);
  });

  it.each([404, 410])("are lost where they are answered %i twice", async (status) => {
    const { asked, broken } = await told([{ status }]);
    expect(broken).toEqual(["job.never-lost broken"]);
    expect((asked[1]?.atMs ?? 0) - (asked[0]?.atMs ?? 0)).toBe(2_000);
  });

  it("are not lost where one view does not find them", async () => {
    expect((await told([{ status: 404 }, { status: 200 }])).broken).toEqual([]);
  });

  it.each([0, 401, 403, 429, 503])("tell nothing with an answer %i", async (status) => {
    expect((await told([{ status }])).broken).toEqual([]);
  });

  it.each<[string, (body: Body) => Body]>([
    ["state", (body) => ({ ...body, status: "FAILED" })],
    ["result", (body) => ({ ...body, output: { other: true } })],
  ])("are final in their %s", async (_, edit) => {
    const { broken } = await told([{ status: 200, edit }]);
    expect(broken).toEqual(["job.terminal-final broken"]);
  });

  it("may lack nothing that other promises ask of them", async () => {
    const edit = (body: Body) => ({ ...body, id: "another", job_uuid: "another" });
    expect((await told([{ status: 200, edit }])).broken).toEqual([]);
  });

  it("are not told again of what their scenario saw", async () => {
    const lost = (history: JobHistory): JobHistory => {
      const gone = [0, 2_000].map((ms) => {
        const atMs = T0 + 20_000 + ms;
        return exchange({ status: 404, sentAtMs: atMs, receivedAtMs: atMs + 10 });
      });
      return { ...history, polls: [...history.polls, ...gone] };
    };
    expect((await told([{ status: 404 }], lost)).broken).toEqual([]);
  });
});

describe("jobs that are looked at again", () => {
  /** In the scenario's record; cancelled as asked before its end was seen, or again after it. */
  function chosen(end: EndState, cancelsAtMs: readonly number[], jobs = 1) {
    const cancelRequests = cancelsAtMs.map((ms) =>
      exchange({ status: 200, method: "DELETE", sentAtMs: T0 + ms, receivedAtMs: T0 + ms + 10 }),
    );
    const history = (one: JobHistory): JobHistory => ({ ...one, cancelRequests });
    const ends = Array.from({ length: jobs }, () => end);
    const observed = { type: "observation", kind: "contract.job", scenario: "contract" } as const;
    return endedJobs(
      run({ variant: "B", ends, history }).map((job, at) => {
        const value = { ...job, issuedId: `job-${at}`, part: null };
        return { ...observed, version: OBSERVATION_VERSION, value };
      }),
    );
  }

  it("are all cancelled ones, and one of every other kind", () => {
    expect(chosen("cancelled", [200], 4)).toHaveLength(4);
    expect(chosen("completed", [], 4)).toHaveLength(1);
  });

  it("are those that were cancelled as asked, with nothing left of the request", () => {
    expect(chosen("cancelled", [200])).toMatchObject([{ history: { cancelRequests: [] } }]);
  });

  it("are none that a cancel may touch still", () => {
    expect(chosen("cancelled", [200, 7_000])).toEqual([]);
    expect(chosen("completed", [200])).toEqual([]);
    expect(chosen("completed", [])).toHaveLength(1);
  });
});
