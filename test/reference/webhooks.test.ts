/** Webhooks over real HTTP: content, schedule, answer limit and signature. */

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { start } from "./client.ts";
import { type Delivery, receive } from "./webhook-receiver.ts";

function gaps(deliveries: readonly Delivery[]): number[] {
  return deliveries.slice(1).map(({ atMs }, n) => atMs - (deliveries[n]?.atMs ?? atMs));
}

describe("a webhook", () => {
  it("is one POST with the job object, event, result and time", async () => {
    const caller = await start();
    const receiver = await receive();
    const id = await caller.submit("echo", { text: "x", webhook: receiver.url });
    const [delivery] = await receiver.count(1);
    const { body } = await caller.get(`/v1/jobs/${id}`);
    expect(delivery?.body).toMatchObject({
      ...body,
      event: "job.completed",
      job_uuid: id,
      status: "SUCCEEDED",
      result: { text: "x", length: 1 },
      fired_at: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    ["failed", "fail", {}, "job.failed"],
    ["timed out", "sleep-short", { seconds: 60 }, "job.timeout"],
  ])("comes for a job that %s, too", async (_name, worker, input, event) => {
    const caller = await start();
    const receiver = await receive();
    await caller.submit(worker, { ...input, webhook: receiver.url });
    const [delivery] = await receiver.count(1);
    expect(delivery?.body.event).toBe(event);
  });

  it(
    covers(
      "is retried after 5, 30 and 300 s of the service's time, and then no more",
      "25 reference",
    ),
    async () => {
      const caller = await start({ timeScale: 0.005 });
      const receiver = await receive(Array(9).fill({ status: 500 }));
      await caller.submit("echo", { text: "x", webhook: receiver.url });
      const [first, second, third] = gaps(await receiver.count(4));
      expect(first).toBeGreaterThanOrEqual(25);
      expect(second).toBeGreaterThanOrEqual(150);
      expect(third).toBeGreaterThanOrEqual(1_500);
      expect(first).toBeLessThan(5_000);
      await new Promise((resolve) => setTimeout(resolve, 310_000 * 0.005));
      expect(receiver.deliveries).toHaveLength(4);
    },
  );

  it.each([
    ["a 404", { status: 404 }],
    [covers("a redirect", "13 reference"), { status: 302 }],
    ["a 204, which is no 200", { status: 204 }],
    [covers("a reset connection", "2 reference"), "reset"],
    [covers("no answer", "3 reference"), "silence"],
    ["an answer after 15 s", { status: 200, afterMs: 300 }],
  ] as const)("is retried after %s, and not again after the 200", async (_name, failure) => {
    const caller = await start();
    const receiver = await receive([failure]);
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    await receiver.count(2);
    await new Promise((resolve) => setTimeout(resolve, 35_000 * 0.02));
    expect(receiver.deliveries).toHaveLength(2);
  });

  it(
    covers("is sent once, and retried, where a kept connection closes under it", "8 reference"),
    async () => {
      const caller = await start({ choices: { webhookConnections: "kept" } });
      const receiver = await receive([{ status: 200 }, "reset"]);
      const id = async () => await caller.submit("echo", { text: "x", webhook: receiver.url });
      const first = await id();
      await receiver.count(1);
      // By then its answer has been read.
      await caller.get(`/v1/jobs/${first}`);
      const second = await id();
      const deliveries = await receiver.count(3);
      expect(deliveries.map(({ body }) => body.job_uuid)).toEqual([first, second, second]);
      // The second came over the connection of the first, and was retried when it was due.
      const [kept, stale, own] = deliveries.map(({ port }) => port);
      expect([stale === kept, own === kept]).toEqual([true, false]);
      expect(gaps(deliveries)[1]).toBeGreaterThanOrEqual(100);
    },
  );

  it("counts an answer within 10 s", async () => {
    const caller = await start({ timeScale: 0.1 });
    const receiver = await receive([{ status: 200, afterMs: 400 }]);
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    await receiver.count(1);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(receiver.deliveries).toHaveLength(1);
  });

  it("is not sent for jobs that did not ask for one", async () => {
    const caller = await start();
    const receiver = await receive();
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    await receiver.count(1);
    await caller.follow(await caller.submit("echo", { text: "x" }));
    expect(receiver.deliveries).toHaveLength(1);
  });
});

describe("the signature", () => {
  const secret = "test-secret";
  const hmac = (text: string) => createHmac("sha256", secret).update(text);
  it.each([
    ["hex", ({ text }: Delivery) => hmac(text).digest("hex")],
    ["base64", ({ text }: Delivery) => hmac(text).digest("base64")],
    ["sha256-prefix", ({ text }: Delivery) => `sha256=${hmac(text).digest("hex")}`],
    ["timestamped", timestamped],
    ["standard-webhooks", standard],
  ] as const)("of the scheme %s fits the body", async (signature, expected) => {
    const caller = await start({ signingSecret: secret, choices: { signature } });
    const receiver = await receive();
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    const [delivery] = await receiver.count(1);
    if (delivery === undefined) throw new Error("no delivery");
    expect(delivery.headers["x-service-signature"]).toBe(expected(delivery));
  });

  function timestamped({ headers, text }: Delivery): string {
    const time = /^t=(\d+)/.exec(String(headers["x-service-signature"]))?.[1];
    return `t=${time},v1=${hmac(`${time}.${text}`).digest("hex")}`;
  }

  function standard({ headers, text }: Delivery): string {
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], text];
    return `v1,${hmac(signed.join(".")).digest("base64")}`;
  }
});
