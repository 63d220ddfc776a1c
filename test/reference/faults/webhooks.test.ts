/** Faults of webhooks, each seen by a receiver beside what a healthy service sends. */

import { describe, expect, it } from "vitest";
import { start } from "../client.ts";
import { type Delivery, type Receiver, receive, type Script } from "../webhook-receiver.ts";

interface Seen {
  id: string;
  job: Record<string, unknown>;
  receiver: Receiver;
  last: Delivery | undefined;
}

/** Submits one job after another and waits for their ends, and for the deliveries after them. */
async function see(fault: string, expected: number, worker = "echo", script: Script = []) {
  const caller = await start({ faults: [fault] });
  const receiver = await receive(script);
  const input = worker === "echo" ? { text: "x" } : worker === "sleep-short" ? { seconds: 60 } : {};
  const id = await caller.submit(worker, { ...input, webhook: receiver.url });
  const job = await caller.follow(id);
  await receiver.count(expected);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const seen: Seen = { id, job, receiver, last: receiver.deliveries.at(-1) };
  return seen;
}

describe("deliveries", () => {
  it.each([
    ["webhook.delivered/never", "echo"],
    ["webhook.delivered/not-for-failed", "fail"],
    ["webhook.delivered/not-for-timeout", "sleep-short"],
  ])("%s: none comes for %s", async (fault, worker) => {
    const { receiver } = await see(fault, 0, worker);
    expect(receiver.deliveries).toHaveLength(0);
  });

  it("a webhook at the start of a run comes once, and says that it has ended", async () => {
    const { last, receiver, job } = await see("webhook.not-before-terminal/at-the-start", 1);
    expect(receiver.deliveries).toHaveLength(1);
    const finished = String((job.timestamps as Record<string, string>).finished_at);
    expect(String(last?.body.fired_at) < finished).toBe(true);
    expect(last?.body.status).toBe("SUCCEEDED");
  });

  it.each([
    ["webhook.once/twice", [], 2],
    ["webhook.recovers/goes-on", [{ status: 500 }], 3],
    ["webhook.retried/never", [{ status: 500 }], 1],
    ["webhook.retried/not-after-404", [{ status: 404 }], 1],
    ["webhook.retried/not-after-500", [{ status: 500 }], 1],
    ["webhook.retried/not-after-reset", ["reset"], 1],
    ["webhook.retried/not-after-404", [{ status: 500 }], 2],
    ["webhook.retried/not-after-500", [{ status: 404 }], 2],
  ] as const)("%s: after %j there are %i", async (fault, script, expected) => {
    const { receiver } = await see(fault, expected, "echo", script);
    expect(receiver.deliveries.length).toBe(expected);
  });

  it("jobs without a webhook use the account's last address", async () => {
    const caller = await start({ faults: ["webhook.only-asked/last-address"] });
    const receiver = await receive();
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    await receiver.count(1);
    const id = await caller.submit("echo", { text: "x" });
    const [, second] = await receiver.count(2);
    expect(second?.body.job_uuid).toBe(id);
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
    const seen = await see(fault, 1);
    expect(pick(seen)).toBe(expected);
    expect(seen.job.status).toBe("SUCCEEDED");
  });
});
