/** A submission whose answer is lost: found by its mark or its webhook, or owned up to. */

import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../clock/system-clock.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import type { Clock } from "../../probe/clock.ts";
import { probeClock } from "../../simulation/probe-clock.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { serve } from "../http/serve.ts";
import { openReference } from "../reference/open-reference.ts";
import { bendingProxy } from "./bending-proxy.ts";
import { losingProxy } from "./losing-proxy.ts";
import { canary, open } from "./open-probe.ts";

describe("a lost answer", () => {
  it(
    covers("is resolved by the delivery of the submission's own webhook", "31 probe"),
    async () => {
      const { probe, sample } = await withLoss("success", true, 30_000);
      expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
      expect(await sample(/submissions_resolved_total.*how="webhook"/)).toBe(1);
    },
  );

  it.each(["full", "summary"] as const)(
    "is resolved by the mark, in a list of %s entries or in the job's own answer",
    async (jobsEntries) => {
      const reference = { choices: { jobsEntries } };
      const { probe, sample } = await withLoss("success", false, 30_000, reference);
      expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
      expect(await sample(/submissions_resolved_total.*how="marker"/)).toBe(1);
    },
  );

  it("is resolved at once by a delivery that came while the list was searched", async () => {
    const service = await openReference({ timeScale: 0.02 });
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
    const recording = probeClock({ ...clock, callAt });
    const canaries = [canary("empty", { webhook: true, deadlineMs: 10_000 })];
    const { probe, sample, log } = await open({
      canaries,
      target: { baseUrl },
      ports: { clock: recording },
    });
    isResolved = () => log.some((line) => line.includes('"event":"resolved"'));
    expect((await probe.once()).get("empty")).toMatchObject({ outcome: "success" });
    expect(await sample(/submissions_resolved_total.*how="webhook"/)).toBe(1);
    // Nothing is waited for any more: not the time of the next search, nor another delivery.
    expect({ delivered: delivered(), waitsMs }).toEqual({ delivered: true, waitsMs: [] });
  });

  it("says nothing of the service when a job is listed that may be its own", async () => {
    const { probe, sample } = await withLoss("empty", false, 1_500);
    const settled = (await probe.once()).get("empty");
    expect(settled).toMatchObject({ outcome: "ambiguous_submission", cost: { jobs: 1 } });
    expect(await sample(/^plumbline_sli_events_total.*canary-success/)).toBe(0);
  });
});

describe("a submission that is never answered", () => {
  it.each([
    ["which bears a mark", "success"],
    ["which nothing could show to be its own", "empty"],
  ] as const)("and never listed, %s, is the service's failure", async (_, part) => {
    const service = await standIn({ list: JSON.stringify({ jobs: [] }) });
    const { settled, sample } = await settledOn(service, part);
    expect(settled).toMatchObject({
      outcome: "http_error",
      why: "the submission: no response (reset); the list of jobs does not show it",
    });
    expect(await sample(/^plumbline_sli_events_total.*canary-success.*bad/)).toBe(1);
    expect(service.submissions()).toBe(1);
  });

  it("by a service whose list is not answered either is its failure as well", async () => {
    const service = await standIn({ list: null });
    const { settled, sample } = await settledOn(service, "success");
    expect(settled).toMatchObject({
      outcome: "http_error",
      why: "the submission: no response (reset); the list of jobs: no response (reset)",
    });
    expect(await sample(/^plumbline_sli_events_total.*canary-success.*bad/)).toBe(1);
    expect(service.submissions()).toBe(1);
  });

  it("before the probe itself ends is held against nobody", async () => {
    const service = await standIn({ list: JSON.stringify({ jobs: [] }), submit: "silence" });
    const canaries = [canary("success", { deadlineMs: 1_500 })];
    const first = await open({ canaries, target: { baseUrl: service.baseUrl } });
    void first.probe.once();
    await service.submitted;
    await first.probe.close(0);
    const { stateDir } = first;
    const { sample } = await open({ canaries, target: { baseUrl: service.baseUrl }, stateDir });
    const ambiguous = () => sample(/^plumbline_canary_runs_total.*"ambiguous_submission"/);
    await expect.poll(ambiguous, { timeout: 20_000 }).toBe(1);
    expect(await sample(/^plumbline_sli_events_total.*canary-success/)).toBe(0);
    expect(service.submissions()).toBe(1);
  });

  it(
    covers(
      "and whose job is listed after the deadline is followed to its end all the same",
      "31 probe",
    ),
    async () => {
      const reference = await openReference({ timeScale: 0.02 });
      let isSettled = false;
      const baseUrl = await bendingProxy(reference.baseUrl, {
        answer(body, { method, url }) {
          if (method === "POST") return null;
          return url === "/v1/jobs" && !isSettled ? JSON.stringify({ jobs: [] }) : body;
        },
      });
      const canaries = [canary("success", { deadlineMs: 1_500 })];
      const { probe, sample } = await open({ canaries, target: { baseUrl } });
      expect((await probe.once()).get("success")).toMatchObject({ outcome: "http_error" });
      isSettled = true;
      const ended = () => sample(/^plumbline_jobs_terminal_total.*"echo".*completed/);
      await expect.poll(ended, { timeout: 20_000 }).toBe(1);
      expect(await sample(/submissions_resolved_total.*how="marker"/)).toBe(1);
      expect(await sample(/^plumbline_canary_runs_total.*outcome="http_error"/)).toBe(1);
    },
  );
});

describe("the verdict on a submission that is never answered", () => {
  const summary = (id: string, more: object = {}) => {
    const created = { created_at: new Date().toISOString() };
    return { job_uuid: id, worker: "echo", status: "IN_PROGRESS", ...created, ...more };
  };
  const mark = "plumbline-11111111-2222-4333-8444-555555555555";
  const old = { created_at: "2020-01-01T00:00:00Z" };
  const ownPages = (path: string) => {
    const cursor = /cursor=(\d)/.exec(path)?.[1];
    return { jobs: [summary(`old-${cursor}`, old)], next_cursor: cursor === "2" ? null : "2" };
  };
  const many = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, index) => summary(`job-${index}`, more));
  const othersOf = (count: number) => (path: string) =>
    path === "/v1/jobs" ? { jobs: many(count) } : summary("other", { input: { text: mark } });
  const dated = (count: number, stepMs: number) =>
    Array.from({ length: count }, (_, at) =>
      summary(`old-${at}`, { created_at: new Date(Date.UTC(2020, 0, 2) - at * stepMs) }),
    );
  const [inOrder, inReverse, atOnce] = [dated(200, 1_000), dated(200, -1_000), dated(200, 0)];
  const pagesOf = (jobs: readonly object[], length: number) => (path: string) => {
    const from = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
    const next = from + length < jobs.length ? String(from + length) : null;
    return { jobs: jobs.slice(from, from + length), next_cursor: next };
  };
  it.each<[string, (path: string) => unknown, string]>([
    [
      "the latest hundred are listed of many",
      () => ({ jobs: atOnce.slice(0, 100), limit: 100, total: 5000 }),
      "http_error",
    ],
    [
      "the latest of a hundred stand last",
      () => ({ jobs: inReverse.slice(0, 100), limit: 100, total: 5000 }),
      "ambiguous_submission",
    ],
    ["an empty page has room for more", () => ({ jobs: [], limit: 100 }), "http_error"],
    ["the count is on one page", () => ({ jobs: atOnce.slice(0, 3), count: 3 }), "http_error"],
    ["the only page is read", () => ({ jobs: [], page: 1, page_count: 1 }), "http_error"],
    [
      "a first page in order reaches back before it",
      () => ({ jobs: inOrder.slice(0, 4), has_more: true }),
      "http_error",
    ],
    [
      "a first page shows no order",
      () => ({ jobs: atOnce.slice(0, 4), has_more: true }),
      "ambiguous_submission",
    ],
    [
      "a first page begins with the oldest",
      () => ({ jobs: inReverse.slice(0, 4), has_more: true }),
      "ambiguous_submission",
    ],
    ["pages in order reach back before it", pagesOf(inOrder, 4), "http_error"],
    ["a next page has no end", () => ({ jobs: [], next_cursor: "x" }), "ambiguous_submission"],
    ["pages are of an unknown form", () => ({ jobs: [], count: 7 }), "ambiguous_submission"],
    [
      "a later page fails",
      (path) => (path.includes("?") ? null : { jobs: [], next_cursor: "x" }),
      "ambiguous_submission",
    ],
    ["all pages are read", ownPages, "http_error"],
    ["the total is on one page", () => ({ jobs: [], total: 0, limit: 100 }), "http_error"],
    [
      "a candidate shows no mark",
      (path) => (path === "/v1/jobs" ? { jobs: [summary("a")] } : summary("a")),
      "ambiguous_submission",
    ],
    [
      "a candidate is not answered",
      (path) => (path === "/v1/jobs" ? { jobs: [summary("a")] } : null),
      "ambiguous_submission",
    ],
    ["each of four candidates shows another's mark", othersOf(4), "http_error"],
    ["there are more candidates than are read", othersOf(12), "ambiguous_submission"],
    [
      "the candidates' entries show another's mark",
      () => ({ jobs: many(4, { input: { text: mark } }) }),
      "http_error",
    ],
  ])("as %s", async (_, answer, outcome) => {
    const service = await standIn({
      list: (path) => {
        const body = answer(path);
        return body === null ? null : JSON.stringify(body);
      },
    });
    const { settled } = await settledOn(service, "success");
    expect(settled).toMatchObject({ outcome });
  });

  it("as a pause leaves no room to read the list again at the deadline", async () => {
    const listed = Promise.withResolvers<void>();
    const list = (path: string) => {
      if (path === "/v1/jobs") listed.resolve();
      return JSON.stringify({ jobs: [] });
    };
    const { baseUrl } = await standIn({ list, pauseAfter: listed.promise });
    const canaries = ["one", "two"].map((name) => canary("success", { name, deadlineMs: 4_000 }));
    const { probe } = await open({ canaries, target: { baseUrl } });
    const outcomes = [...(await probe.once()).values()].map((settled) => settled?.outcome);
    expect(outcomes.sort()).toEqual(["ambiguous_submission", "rate_limited"]);
  });
});

interface StandIn {
  /** The answer of the list of jobs, or of each path; null resets. */
  list: string | null | ((path: string) => string | null);
  submit?: "reset" | "silence";
  /** When the second submission is answered: 429, and a minute's pause. */
  pauseAfter?: Promise<void>;
}

/** A service that answers no submission and begins no job. */
async function standIn({ list, submit = "reset", pauseAfter }: StandIn) {
  let submissions = 0;
  const submitted = Promise.withResolvers<void>();
  const baseUrl = await serve(async (request, response) => {
    if (request.method === "POST") {
      submissions += 1;
      submitted.resolve();
      if (pauseAfter !== undefined && submissions === 2) {
        await pauseAfter;
        return void response.writeHead(429, { "retry-after": "60" }).end();
      }
      if (submit === "silence") return;
    }
    const body = typeof list === "function" ? list(request.url ?? "") : list;
    if (request.method === "POST" || body === null) return void request.socket.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  return { baseUrl, submitted: submitted.promise, submissions: () => submissions };
}

async function settledOn({ baseUrl }: { baseUrl: string }, part: Part) {
  const canaries = [canary(part, { deadlineMs: 1_500 })];
  const { probe, sample } = await open({ canaries, target: { baseUrl } });
  return { settled: (await probe.once()).get(part), sample };
}

async function withLoss(part: Part, webhook: boolean, deadlineMs: number, reference = {}) {
  const service = await openReference({ timeScale: 0.02, ...reference });
  // On a busy machine a list would tell of the job before its webhook does.
  const baseUrl = await losingProxy(service.baseUrl, webhook);
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
  let [isTaken, isDelivered, address] = [false, false, ""];
  const hookUrl = await serve(async (request, response) => {
    const body = await text(request);
    // While the first one waits the service may give it up and try again, even after the test.
    if (isTaken) return void response.writeHead(200).end();
    isTaken = true;
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
