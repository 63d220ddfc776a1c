/** A submission whose answer is lost: found by its mark or its webhook, or owned up to. */

import { describe, expect, it, onTestFinished } from "vitest";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Part } from "../../contract/run-plan.ts";
import { findSubmission } from "../../probe/reconcile.ts";
import { startReference } from "../../reference/service.ts";
import { losingProxy } from "./losing-proxy.ts";
import { canary, open } from "./open-probe.ts";

describe("a lost answer", () => {
  it("is resolved by the delivery of the submission's own webhook", async () => {
    const { probe, sample } = await withLoss("success", true, 10_000);
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
    expect(await sample(/submissions_resolved_total.*how="webhook"/)).toBe(1);
  });

  it("is resolved by the job list where that leaves no doubt", async () => {
    const { probe, sample } = await withLoss("empty", false, 10_000);
    expect((await probe.once()).get("empty")).toMatchObject({ outcome: "success" });
    expect(await sample(/submissions_resolved_total.*how="list"/)).toBe(1);
  });

  it("is neither success nor failure when nothing tells, and is charged", async () => {
    const reference = { choices: { jobsEntries: "summary" } } as const;
    const { probe, sample } = await withLoss("success", false, 1_500, reference);
    const settled = (await probe.once()).get("success");
    expect(settled).toMatchObject({ outcome: "ambiguous_submission", cost: { jobs: 1 } });
    expect(await sample(/^plumbline_sli_events_total.*canary-success/)).toBe(0);
  });
});

async function withLoss(part: Part, webhook: boolean, deadlineMs: number, reference = {}) {
  const service = await startReference({ timeScale: 0.02, ...reference });
  onTestFinished(() => service.close());
  const baseUrl = await losingProxy(service.baseUrl);
  const canaries = [canary(part, { webhook, deadlineMs })];
  return open({ canaries, target: { baseUrl } });
}

describe("the job list", () => {
  const lost = { workerId: "echo", mark: "mark-1", sentAtMs: 1_000_000, lostAtMs: 1_010_000 };
  const around = { isKnown: () => false, offset: { lowMs: 0, highMs: 0 }, hasRivals: false };
  const created = (ms: number) => new Date(ms).toISOString();
  const listOf = (...jobs: object[]) => {
    const list = decodeJobList({ jobs });
    if (list === null) throw new Error("no list");
    return list;
  };
  const job = (id: string, atMs: number, more: object = {}) => {
    return { job_uuid: id, worker: "echo", created_at: created(atMs), ...more };
  };

  it("names the job by its mark, whatever else is in it", () => {
    const list = listOf(job("a", 1_001_000), job("b", 900, { input: { text: "mark-1" } }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "marker" });
  });

  it("names the one new job of the worker and the time", () => {
    const list = listOf(job("a", 1_001_000), job("b", 900_000));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "a", how: "list" });
  });

  it.each([
    ["two jobs fit", listOf(job("a", 1_001_000), job("b", 1_002_000)), {}],
    ["another submission is looked for", listOf(job("a", 1_001_000)), { hasRivals: true }],
    ["the job is known to be another's", listOf(job("a", 1_001_000)), { isKnown: () => true }],
    ["it came before the submission", listOf(job("a", 990_000)), {}],
  ])("names none when %s", (_why, list, changes) => {
    expect(findSubmission(list, lost, { ...around, ...changes })).toBeNull();
  });
});
