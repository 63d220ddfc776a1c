/** Whose a delivery is at an address that several jobs name. */

import { describe, expect, it } from "vitest";
import type { AnswerStep } from "../../../contract/jobs/delivery.ts";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import { dealtTo } from "../../../scenarios/webhook/addresses.ts";
import { arrived } from "../../receiver/arrived.ts";

/** Deliveries at one address in the order of arrival, by the job that each names; null: none. */
function arrivedFor(names: readonly (string | null)[], firstAttempt = 1) {
  return names.map((name, at) =>
    arrived({
      token: "shared",
      attempt: firstAttempt + at,
      arrivedAtMs: 1_000 * (at + 1),
      body: JSON.stringify(name === null ? {} : { job_uuid: name }),
    }),
  );
}

const TAKEN: readonly AnswerStep[] = [ANSWER_OK];
const FAILING: readonly AnswerStep[] = [{ ...ANSWER_OK, status: 500 }];

function jobOf(issuedId: string | null, token = "shared", script = TAKEN) {
  const job = { issuedId, submission: { status: issuedId === null ? 400 : 202 } };
  return { spec: { sharesAddress: token !== "alone", script }, token, job };
}

/** Of each job the times of arrival in seconds. */
function dealt(jobs: readonly ReturnType<typeof jobOf>[], names: readonly (string | null)[]) {
  const all = arrivedFor(names);
  return jobs.map((job) => {
    const there = all.filter(({ token }) => token === job.token);
    return dealtTo(job, jobs, there).map(({ arrivedAtMs }) => arrivedAtMs / 1_000);
  });
}

const AB = [jobOf("a"), jobOf("b")];

describe("a delivery at an address of several jobs", () => {
  it("belongs to the job that its body names", () => {
    expect(dealt(AB, ["a", "b", "b", "a"])).toEqual([
      [1, 4],
      [2, 3],
    ]);
  });

  it("is not another job's, although nothing came to that one", () => {
    expect(dealt(AB, ["a", "a"])).toEqual([[1, 2], []]);
  });

  it("that names none of them is taken for a job's to which nothing came", () => {
    expect(dealt([...AB, jobOf("c")], [null, "b", "elsewhere"])).toEqual([[1], [2], [3]]);
    expect(dealt(AB, [null, "elsewhere", null, null])).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it("that names another is nobody's where a submission was not answered", () => {
    const lost = { ...jobOf(null), job: { issuedId: null, submission: { status: 502 } } };
    expect(dealt([...AB, lost], ["a", "b", "elsewhere"])).toEqual([[1], [2], []]);
    expect(dealt([...AB, jobOf(null)], ["a", "b", "elsewhere"])).toEqual([[1, 3], [2], []]);
  });

  it("that names none of them is not lost where something came to all", () => {
    expect(dealt(AB, ["a", "b", "elsewhere", null])).toEqual([[1, 3, 4], [2]]);
  });

  it("that names none of them is nobody's where it may be the next attempt of any", () => {
    const [a, b] = [jobOf("a", "shared", FAILING), jobOf("b", "shared", FAILING)];
    expect(dealt([a, b], [null, "elsewhere", null])).toEqual([[], []]);
    expect(dealt([a, b], ["a", "b", null])).toEqual([[1], [2]]);
    expect(dealt([a, b], ["a", null, null])).toEqual([[1], [2, 3]]);
  });

  it("is dealt in turn where the service gave several jobs one identifier", () => {
    expect(dealt([jobOf("a"), jobOf("a")], ["a", "a", "a"])).toEqual([[1, 3], [2]]);
  });

  it("is never that of a job which was not accepted, or has another address", () => {
    const jobs = [jobOf(null), jobOf("b"), jobOf("c", "other")];
    expect(dealt(jobs, [null, "c"])).toEqual([[], [1, 2], []]);
  });

  it("is counted anew for its job, but for what was evicted before", () => {
    const numbers = (firstAttempt: number) =>
      AB.map((job) => {
        return dealtTo(job, AB, arrivedFor(["b", "a", "b"], firstAttempt)).map(
          ({ attempt }) => attempt,
        );
      });
    expect(numbers(1)).toEqual([[1], [1, 2]]);
    expect(numbers(3)).toEqual([[3], [3, 4]]);
  });

  it("stays as it came at an address of one job", () => {
    const alone = jobOf("a", "alone");
    const all = arrivedFor([null, "b"]);
    expect(dealtTo(alone, [alone], all)).toBe(all);
  });
});
