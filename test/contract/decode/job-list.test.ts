/** The list of jobs, of whatever shape: its jobs are found, and nothing else is taken for one. */

import { describe, expect, it } from "vitest";
import { decodeJobList } from "../../../contract/decode/job-list.ts";

const job = (id: string, status = "queued") => ({ job_uuid: id, status });
const [a, b] = [job("a"), job("b", "running")];
/** Longer than the list itself. */
const NAMES = ["x", "y", "z"];
const THINGS = NAMES.map((id) => ({ id, jobs: 1 }));

describe("a list of jobs", () => {
  it.each<[string, unknown, readonly string[] | null]>([
    ["alone", [a, b], ["a", "b"]],
    ["in a field", { jobs: [a, b] }, ["a", "b"]],
    ["in an envelope", { data: { items: [a, b] } }, ["a", "b"]],
    ["of identifiers", { jobs: ["a", "b"] }, ["a", "b"]],
    ["of addresses", { jobs: ["https://x.test/v1/jobs/a", "/v1/jobs/b%3A1"] }, ["a", "b:1"]],
    ["of links", [{ _links: { self: { href: "/v1/jobs/a" } } }, { url: "/v1/jobs/b" }], ["a", "b"]],
    [
      "of resource names",
      { jobs: [{ name: "accounts/x/jobs/a" }, { name: "jobs/b" }] },
      ["a", "b"],
    ],
    ["of other links", { jobs: [{ href: "/v1/workers/a" }, { url: "/v1/jobs" }] }, null],
    ["that is empty", { jobs: [] }, []],
    ["grouped by state", { queued: [a], running: [b], failed: [] }, ["a", "b"]],
    ["with some of them shown again", { jobs: [a, b], open: [a] }, ["a", "b"]],
    ["by identifiers that entries repeat", { jobs: { a, b } }, ["a", "b"]],
    ["by identifiers alone", { a: { status: "queued" }, b: { status: "FAILED" } }, ["a", "b"]],
    ["of entries in envelopes", { jobs: [{ job: a }, { job: b }] }, ["a", "b"]],
    ["of a graph's edges", { edges: [{ cursor: "x", node: a }], pageInfo: { id: "y" } }, ["a"]],
    ["of a graph's edges, by other names", { edges: [{ cursor: "x", node: { id: "a" } }] }, ["a"]],
    ["of resources", { data: [{ id: "a", attributes: { status: "queued" } }] }, ["a"]],
    ["beside names", { jobs: [a], workers: NAMES }, ["a"]],
    ["beside other things", { jobs: [a], workers: THINGS }, ["a"]],
    [
      "of other identifiers beside things",
      { list: [{ id: "a", status: "queued" }], THINGS },
      ["a"],
    ],
    ["that is empty, beside names", { jobs: [], workers: NAMES }, []],
    ["that is empty, beside other things", { data: { jobs: [] }, workers: THINGS }, []],
    ["of entries without identifiers", { jobs: [{ status: "queued" }] }, null],
    ["that is none", { message: "none" }, null],
  ])("%s", (_name, body, ids) => {
    expect(decodeJobList(body)?.jobs.map(({ id }) => id) ?? null).toEqual(ids);
  });

  it("with one job twice has two entries", () => {
    expect(decodeJobList({ jobs: [a, a] })?.jobs).toHaveLength(2);
  });
});
