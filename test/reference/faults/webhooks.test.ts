/** Faults of webhooks, each seen by a receiver beside what a healthy service sends. */

import { describe, expect, it } from "vitest";
import { openVirtual, type Posted, type Script } from "../virtual-service.ts";

interface Seen {
  job: Record<string, unknown>;
  posts: readonly Posted[];
  last: Posted | undefined;
}

/** Longer than a job and all of its deliveries take. */
const ALL_SECONDS = 600;

/** Submits a job, and waits for all that comes of it. */
async function see(fault: string, worker = "echo", script: Script = []): Promise<Seen> {
  const { posts, submit, job, pass } = openVirtual({ faults: [fault] }, script);
  const input = worker === "echo" ? { text: "x" } : worker === "sleep-short" ? { seconds: 60 } : {};
  const id = submit(worker, { ...input, webhook: HOOK });
  await pass(ALL_SECONDS);
  return { job: job(id), posts, last: posts.at(-1) };
}

const HOOK = "http://receiver.test/hook";

describe("deliveries", () => {
  it.each([
    ["webhook.delivered/never", "echo"],
    ["webhook.delivered/not-for-failed", "fail"],
    ["webhook.delivered/not-for-timeout", "sleep-short"],
  ])("%s: none comes for %s", async (fault, worker) => {
    expect((await see(fault, worker)).posts).toEqual([]);
  });

  it("a webhook at the start of a run comes once, and says that it has ended", async () => {
    const { last, posts, job } = await see("webhook.not-before-terminal/at-the-start");
    expect(posts).toHaveLength(1);
    const finished = String((job.timestamps as Record<string, string>).finished_at);
    expect(String(last?.body.fired_at) < finished).toBe(true);
    expect(last?.body.status).toBe("SUCCEEDED");
  });

  it.each([
    ["webhook.once/twice", [], 2],
    ["webhook.recovers/goes-on", [{ status: 500 }], 4],
    ["webhook.retried/never", [{ status: 500 }], 1],
    ["webhook.retried/not-after-404", [{ status: 404 }], 1],
    ["webhook.retried/not-after-500", [{ status: 500 }], 1],
    ["webhook.retried/not-after-reset", ["reset"], 1],
    ["webhook.retried/not-after-404", [{ status: 500 }], 2],
    ["webhook.retried/not-after-500", [{ status: 404 }], 2],
  ] as const)("%s: after %j there are %i", async (fault, script, expected) => {
    expect((await see(fault, "echo", script)).posts).toHaveLength(expected);
  });

  it("jobs without a webhook use the account's last address", async () => {
    const service = openVirtual({ faults: ["webhook.only-asked/last-address"] });
    service.submit("echo", { text: "x", webhook: HOOK });
    await service.pass(ALL_SECONDS);
    const id = service.submit("echo", { text: "x" });
    await service.pass(ALL_SECONDS);
    const [, second, ...more] = service.posts;
    expect(second).toMatchObject({ url: HOOK, body: { job_uuid: id } });
    expect(more).toEqual([]);
  });
});

describe("contents", () => {
  it.each<[string, (seen: Seen) => unknown, unknown]>([
    ["webhook.body/no-event", ({ last }) => last?.body.event, undefined],
    ["webhook.body/no-fired-at", ({ last }) => last?.body.fired_at, undefined],
    ["webhook.body/epoch", ({ last }) => typeof last?.body.fired_at, "number"],
    ["webhook.body/result-as-text", ({ last }) => typeof last?.body.result, "string"],
    ["webhook.truthful/another-status", ({ last }) => last?.body.status, "FAILED"],
    ["webhook.signed/missing", ({ last }) => last?.headers["x-service-signature"], undefined],
    ["webhook.signed/empty", ({ last }) => last?.headers["x-service-signature"], ""],
  ])("%s", async (fault, pick, expected) => {
    const seen = await see(fault);
    expect(pick(seen)).toBe(expected);
    expect(seen.job.status).toBe("SUCCEEDED");
  });
});
