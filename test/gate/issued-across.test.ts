/** Identifiers of several runs of a gate are compared, account by account. */

import { describe, expect, it } from "vitest";
import { issuedAcross } from "../../gate/issued-across.ts";
import { shownBy } from "../../gate/shown.ts";
import { answer } from "../contract/judges/answers.ts";
import { KEYS_OF_TWO, recordedRun, shownRun as run } from "./recorded-run.ts";

const ACCEPTED = { status: "queued", worker: "w", created_at: "2026-01-01T00:00:00.000Z" };

function submission(by: string, id: string, status = 202) {
  const body = JSON.stringify({ job_uuid: id, ...ACCEPTED });
  return { ...answer(status, { route: "submit", path: "/v1/workers/w/jobs", body }), key: by };
}

/** A load that was issued one identifier, which another of its submissions may have been, too. */
function load(id: string, keys?: Readonly<Record<string, string>>, twice: readonly string[] = []) {
  const issued = {
    oneIn: 1,
    atMs: { [id]: 1 },
    again: {},
    twice,
    ...(keys === undefined ? {} : { keys }),
  };
  return shownBy(recordedRun("soak", "soak.load", { tally: { issued } }));
}

const summaries = (...runs: readonly ReturnType<typeof run>[]) =>
  issuedAcross(runs, KEYS_OF_TWO).map(({ verdict, summary }) => [verdict, summary]);

describe("identifiers of several runs", () => {
  it("are each issued once", () => {
    const [finding] = issuedAcross(
      [run("contract", submission("left", "job_1")), run("timeout", submission("left", "job_1"))],
      KEYS_OF_TWO,
    );
    expect(finding).toMatchObject({
      promise: "submit.unique-id",
      verdict: "broken",
      evidence: { samples: 1, faults: 1, jobs: ["job_1"] },
    });
    expect(finding?.summary).toMatch(/"job_1" was issued twice, in contract at .*, and in timeout/);
  });

  it("are compared over all keys of an account, and with the load's", () => {
    const first = run("contract", submission("left", "job_1"));
    expect(summaries(first, run("timeout", submission("left-too", "job_1")))).toHaveLength(1);
    expect(summaries(first, load("job_1", { job_1: "left-too" }))).toHaveLength(1);
  });

  it("are not compared over accounts, or keys that may be of different ones", () => {
    const first = run("contract", submission("left", "job_1"), submission("undeclared", "job_2"));
    expect(summaries(first, run("timeout", submission("right", "job_1")))).toEqual([]);
    expect(summaries(first, run("timeout", submission("undeclared-too", "job_2")))).toEqual([]);
    expect(summaries(first, load("job_1", { job_1: "right" }))).toEqual([]);
    expect(summaries(first, load("job_1"))).toEqual([]);
  });

  it("are let be where one run shows the same submission twice, or one was refused", () => {
    const twice = run("contract", submission("left", "job_1"), submission("left", "job_1"));
    expect(summaries(twice, run("timeout", submission("left", "job_1", 422)))).toEqual([]);
  });

  it("are known as shared where one run shows two submissions, or a load says so", () => {
    const shared = ({ issued }: ReturnType<typeof run>) =>
      issued.map(({ isShared = false }) => isShared);
    const first = submission("left", "job_1");
    const second = { ...first, sentAtMs: first.sentAtMs + 1 };
    expect(shared(run("contract", first, second))).toEqual([true]);
    expect(shared(run("contract", first, first))).toEqual([false]);
    expect(shared(load("job_1", {}, ["job_1"]))).toEqual([true]);
    expect(shared(load("job_1", {}, ["job_2"]))).toEqual([false]);
  });

  it("of a second run of a scenario are others than those of the first", () => {
    const first = run("contract", submission("left", "job_1"));
    const again = { ...run("contract", submission("left", "job_1")), again: [] } as never;
    expect(summaries(first, again)[0]?.[1]).toContain("and in contract-again");
  });
});
