/** Webhooks over real HTTP: content, what counts as a failure, and signature. */

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { start } from "./client.ts";
import { patientFor } from "./patient.ts";
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

  it.each([
    ["a 404", { status: 404 }],
    [covers("a redirect", "13 reference"), { status: 302 }],
    ["a 204, which is no 200", { status: 204 }],
    [covers("a reset connection", "2 reference"), "reset"],
    [covers("no answer", "3 reference"), "silence"],
    ["an answer after 15 s", { status: 200, afterMs: 300 }],
  ] as const)("is retried after %s", async (_name, failure) => {
    const caller = await start();
    const receiver = await receive([failure]);
    await caller.submit("echo", { text: "x", webhook: receiver.url });
    const [first, second] = await receiver.count(2);
    expect(second?.body.job_uuid).toBe(first?.body.job_uuid);
  });

  it(
    covers("is sent once, and retried, where a kept connection closes under it", "8 reference"),
    async () => {
      const choices = { webhookConnections: "kept" } as const;
      const caller = await start({ timeScale: 0.2, choices }, [patientFor(30_000)]);
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
      expect(gaps(deliveries)[1]).toBeGreaterThanOrEqual(1_000);
    },
  );
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
