/** What jobs that share an identifier seem to do speaks against that alone. */

import { describe, expect, it } from "vitest";
import type { Finding } from "../../contract/verdict.ts";
import { broken } from "../../contract/verdict.ts";
import { sharedInDoubt } from "../../gate/shared-ids.ts";
import type { Issued } from "../../gate/shown.ts";
import { exchange } from "../contract/judges/job/fixtures.ts";
import { KEYS_OF_TWO } from "./recorded-run.ts";

const UNIQUE = broken("submit.unique-id", "two jobs have one identifier", {
  evidence: { job: "job-told" },
});

/** What was issued: a key's name and an identifier each. */
function left(
  finding: Finding,
  issued: readonly (readonly [key: string, id: string, isShared?: true])[],
  found: readonly Finding[] = [UNIQUE],
) {
  const all = issued.map(([by, id, isShared]): Issued => {
    return { id, key: by, atMs: 0, exchange: null, ...(isShared ? { isShared } : {}) };
  });
  const keys = { refused: [], byLimiter: new Set<never>(), stretches: [], servedAtMs: new Map() };
  const scenario = { name: "contract", promises: [] };
  const run = { scenario, again: null, issued: all, lists: [], accounts: [], keys };
  return sharedInDoubt([run], KEYS_OF_TWO, [...found, finding])([finding]).map(
    ({ verdict }) => verdict,
  );
}

const early = (id: string) => broken("timeout.not-early", `job ${id} timed out after 5 s`);

describe("what a finding says of jobs that share an identifier", () => {
  it("is a doubt that names why, and nothing where it was seen in passing", () => {
    expect(left(early("job-1"), [["left", "job-1", true]])).toEqual(["inconclusive"]);
    expect(left({ ...early("job-1"), inPassing: true }, [["left", "job-1", true]])).toEqual([]);
  });

  it("is nobody's, too, where two keys of an account or a load were issued it", () => {
    const twice = [
      ["left", "job-1"],
      ["left-too", "job-1"],
    ] as const;
    expect(left(early("job-1"), twice)).toEqual(["inconclusive"]);
    expect(left(early("job-told"), [])).toEqual(["inconclusive"]);
  });

  it("stays broken where another job shows the same, or none is named", () => {
    const other = broken("timeout.not-early", "jobs job-1 and job-2 timed out after 5 s");
    const issued = [
      ["left", "job-1", true],
      ["left", "job-2"],
    ] as const;
    expect(left(other, issued)).toEqual(["broken"]);
    expect(left(broken("auth.missing-key", "served without a key"), issued)).toEqual(["broken"]);
  });

  it("stays broken where a figure is as an identifier, or the promise is of no single job", () => {
    const issued = [["left", "8", true]] as const;
    expect(left(broken("job.duration", "duration_ms is 8; promised 900"), issued)).toEqual([
      "broken",
    ]);
    const served = broken("auth.missing-key", "job-1 was served without a key");
    expect(left(served, [["left", "job-1", true]])).toEqual(["broken"]);
  });

  it("is a doubt, too, by the path of a number, and by an identifier of any characters", () => {
    const exchanges = [exchange({ status: 200, route: "job", path: "/v1/jobs/8" })];
    const off = broken("job.duration", "duration_ms is 8; promised 900", { exchanges });
    expect(left(off, [["left", "8", true]])).toEqual(["inconclusive"]);
    expect(left(early("job/1@eu=="), [["left", "job/1@eu==", true]])).toEqual(["inconclusive"]);
  });

  it("stays broken where each account has its own, or nothing calls them shared", () => {
    const counted = [
      ["left", "job-1"],
      ["right", "job-1"],
    ] as const;
    expect(left(early("job-1"), counted)).toEqual(["broken"]);
    expect(left(early("job-1"), [["left", "job-1", true]], [])).toEqual(["broken"]);
  });
});
