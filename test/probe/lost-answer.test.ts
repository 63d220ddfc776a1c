/** A submission whose answer is lost: found by its mark or its webhook, or owned up to. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Part } from "../../contract/run-plan.ts";
import type { Clock } from "../../probe/clock.ts";
import { createSystemClock } from "../../probe/clock.ts";
import { candidatesIn, findSubmission } from "../../probe/reconcile.ts";
import { startReference } from "../../reference/service.ts";
import { alarmOf } from "./alarm-of.ts";
import { bendingProxy } from "./bending-proxy.ts";
import { losingProxy } from "./losing-proxy.ts";
import { canary, open } from "./open-probe.ts";

describe("a lost answer", () => {
  it("is resolved by the delivery of the submission's own webhook", async () => {
    const { probe, sample } = await withLoss("success", true, 10_000);
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
    expect(await sample(/submissions_resolved_total.*how="webhook"/)).toBe(1);
  });

  it.each(["full", "summary"] as const)(
    "is resolved by the mark, in a list of %s entries or in the job's own answer",
    async (jobsEntries) => {
      const reference = { choices: { jobsEntries } };
      const { probe, sample } = await withLoss("success", false, 10_000, reference);
      expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
      expect(await sample(/submissions_resolved_total.*how="marker"/)).toBe(1);
    },
  );

  it("is resolved at once by a delivery that came while the list was searched", async () => {
    const service = await startReference({ timeScale: 0.02 });
    onTestFinished(() => service.close());
    const { baseUrl, delivered } = await deliveringMeanwhile(service.baseUrl);
    const clock = createSystemClock();
    const waitsMs: number[] = [];
    let isResolved = () => false;
    const callAt: Clock["callAt"] = (atMs, callback) => {
      const waitMs = atMs - clock.nowMs();
      // The pace of requests may ask for less, the time of the next search is 2 s away.
      if (waitMs > 1_000 && delivered() && !isResolved()) waitsMs.push(waitMs);
      return clock.callAt(atMs, callback);
    };
    const recording: Clock = { ...clock, callAt, alarm: alarmOf({ callAt }) };
    const canaries = [canary("empty", { webhook: true, deadlineMs: 10_000 })];
    const { probe, sample, log } = await open({ canaries, target: { baseUrl }, clock: recording });
    isResolved = () => log.some((line) => line.includes('"event":"resolved"'));
    expect((await probe.once()).get("empty")).toMatchObject({ outcome: "success" });
    expect(await sample(/submissions_resolved_total.*how="webhook"/)).toBe(1);
    // Nothing is waited for any more: not the time of the next search, nor another delivery.
    expect({ delivered: delivered(), waitsMs }).toEqual({ delivered: true, waitsMs: [] });
  });

  it("is neither success nor failure when nothing tells, and is charged", async () => {
    const { probe, sample } = await withLoss("empty", false, 1_500);
    const settled = (await probe.once()).get("empty");
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

/**
 * Loses the answers to submissions, and lets the webhook through when the job list is asked for,
 * which is answered only then. Neither list nor job shows the address that the probe gave.
 */
async function deliveringMeanwhile(serviceUrl: string) {
  const searched = Promise.withResolvers<void>();
  const delivered = Promise.withResolvers<void>();
  let [isDelivered, address] = [false, ""];
  const hook = createServer(async (request, response) => {
    const body = await text(request);
    await searched.promise;
    const signature = String(request.headers["x-service-signature"]);
    const headers = { "content-type": "application/json", "x-service-signature": signature };
    const answer = await fetch(address, { method: "POST", headers, body });
    response.writeHead(answer.status).end();
    // The receiver's thread hands it over after its answer; a moment more only sharpens the test.
    await new Promise((over) => setTimeout(over, 300));
    isDelivered = true;
    delivered.resolve();
  });
  hook.listen(0, "127.0.0.1");
  await once(hook, "listening");
  onTestFinished(() => void hook.close());
  const hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
  const baseUrl = await bendingProxy(serviceUrl, {
    request(body) {
      const submission = JSON.parse(body) as { webhook: string };
      address = submission.webhook;
      return JSON.stringify({ ...submission, webhook: hookUrl });
    },
    async answer(body, { method, url }) {
      if (method === "POST") return null;
      if (url === "/v1/jobs") {
        searched.resolve();
        await delivered.promise;
      }
      return body;
    },
  });
  return { baseUrl, delivered: () => isDelivered };
}

describe("the job list", () => {
  const times = { sentAtMs: 1_000_000, lostAtMs: 1_010_000 };
  const lost = { workerId: "echo", mark: "mark-1", token: "probe-1", ...times };
  const around = { isKnown: () => false, offset: { lowMs: 0, highMs: 0 } };
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

  it("names the job by the webhook token that its entry shows", () => {
    const list = listOf(job("a", 1_001_000), job("b", 1_002_000, { webhook: "http://x/probe-1" }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "webhook" });
  });

  it("names it beside an entry that is nested without end", () => {
    const nested: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const list = listOf(job("a", 0, { nested }), job("b", 900, { input: { text: "mark-1" } }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "marker" });
  });

  it.each([
    ["only worker and time fit, as others may use the account", listOf(job("a", 1_001_000)), {}],
    ["two jobs bear the mark", listOf(job("a", 0, { x: "mark-1" }), job("b", 0, { x: "mark-1" }))],
    [
      "the job is another submission's",
      listOf(job("a", 0, { x: "mark-1" })),
      { isKnown: () => true },
    ],
  ])("names none when %s", (_why, list, changes = {}) => {
    expect(findSubmission(list, lost, { ...around, ...changes })).toBeNull();
  });

  it("says which jobs it may be: new ones of the worker and the time", () => {
    const entries = [
      job("a", 1_001_000),
      job("old", 990_000),
      job("late", 1_020_000),
      job("other", 1_001_000, { worker: "sleep" }),
      { job_uuid: "bare" },
    ];
    expect(candidatesIn(listOf(...entries), lost, around)).toEqual(["a", "bare"]);
  });
});
