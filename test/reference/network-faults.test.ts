/**
 * The reference service between networks at fault: it posts webhooks to a receiver, and its clients
 * submit to it, over connections that are cut, swallowed, slowed and sliced on their way.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Delivery } from "../../contract/jobs/delivery.ts";
import { deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { GivenReceiverOptions } from "../../receiver/options.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import type { Toxic, Toxiproxy } from "../fronts/toxiproxy.ts";
import * as network from "../fronts/toxiproxy.ts";
import { TOOL_MS } from "../go-tool.ts";
import { asked, OK, open, webhook } from "../receiver/open-receiver.ts";
import { newToken, post } from "../receiver/post.ts";
import { bigKey } from "./big-key.ts";
import { start } from "./client.ts";
import { patientFor } from "./patient.ts";

let toxiproxy: Toxiproxy;
beforeAll(async () => {
  toxiproxy = await network.startToxiproxy();
}, TOOL_MS);
afterAll(() => toxiproxy.close());

const { blackHole, byteByByte, resetAfter, slowLine } = network;
const bothWays = (make: (stream: "upstream" | "downstream") => readonly Toxic[]) => [
  ...make("upstream"),
  ...make("downstream"),
];

/** Bytes of a request that hold its head, and half of its body. */
const HALF = 1_000;
/** The longest that the worker takes. */
const TEXT = "x".repeat(2_000);
/** Ours: far longer than a retry takes, also on a busy machine. */
const WAIT_MS = 30_000;

/** A receiver behind a network, and a webhook's address there. */
async function behind(toxics: readonly Toxic[], options: GivenReceiverOptions = {}) {
  const receiver = await open(options);
  const front = await toxiproxy.front(receiver.access.publicUrl, toxics);
  const token = newToken();
  return { receiver, front, token, url: deliveryUrl(front.url, token, [OK]) };
}

/** The first delivery of the token that came whole. */
async function whole(receiver: Receiver, token: string): Promise<Delivery> {
  for (let after = 0; ; after += 1) {
    await asked(receiver, token, after, WAIT_MS);
    const found = (await receiver.deliveries(token)).find(({ truncated }) => !truncated);
    if (found !== undefined) return found;
  }
}

describe("a webhook", () => {
  it(
    covers("that is reset in mid-body is half of one, and is retried", "2 receiver", "2 reference"),
    async () => {
      const { receiver, front, token, url } = await behind(resetAfter("upstream", HALF));
      const caller = await start({ timeScale: 0.1 });
      const id = await caller.submit("echo", { text: TEXT, webhook: url });
      const [half] = await asked(receiver, token, 0, WAIT_MS);
      expect(half).toMatchObject({ truncated: true, answeredAtMs: null });
      await front.heal();
      const { body, attempt } = await whole(receiver, token);
      expect(attempt).toBeGreaterThan(1);
      expect(JSON.parse(body)).toMatchObject({ job_uuid: id, result: { text: TEXT } });
    },
  );

  it(
    covers("whose answer is swallowed is retried, others go on", "3 receiver", "3 reference"),
    async () => {
      const { receiver, token, url } = await behind(blackHole("downstream"));
      const caller = await start({ timeScale: 0.1 });
      await caller.submit("echo", { text: "x", webhook: url });
      await asked(receiver, token, 0, WAIT_MS);
      expect((await post(webhook(receiver, [OK]).url)).status).toBe(200);
      expect((await caller.get("/v1/me")).status).toBe(200);
      const [second] = await asked(receiver, token, 1, WAIT_MS);
      expect(second).toMatchObject({ attempt: 2 });
    },
  );

  it(covers("whose body takes too long is closed", "5 receiver"), async () => {
    const { receiver, token, url } = await behind(byteByByte("upstream", 1), {
      headerTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
    });
    const { status } = await post(url, { body: "x".repeat(20_000) });
    expect([0, 408]).toContain(status);
    expect(await asked(receiver, token)).toMatchObject([{ truncated: true, answeredAtMs: null }]);
  });

  it.each([
    [covers("in packets of a byte", "6 receiver"), bothWays((stream) => byteByByte(stream, 1))],
    [covers("over a slow line", "7 receiver"), bothWays(slowLine)],
  ])("%s is kept whole", async (_, toxics) => {
    const caller = await start({}, [patientFor(WAIT_MS)]);
    const signature = {
      scheme: "hmac-sha256",
      secret: caller.service.options.signingSecret,
    } as const;
    const { receiver, token, url } = await behind(toxics, { signature });
    const id = await caller.submit("echo", { text: "späße", webhook: url });
    const [delivery] = await asked(receiver, token, 0, WAIT_MS);
    expect(delivery).toMatchObject({ attempt: 1, truncated: false, signature: "valid" });
    const sent = JSON.parse(delivery?.body ?? "{}");
    expect(sent).toMatchObject({ job_uuid: id, result: { text: "späße" } });
  });
});

describe("a submission", () => {
  /** Submits over the network. The body is whole JSON long before it is whole. */
  async function submitted(toxics: readonly Toxic[], bytes: number, requestLimitMs = WAIT_MS) {
    const caller = await start({ requestLimitMs });
    const front = await toxiproxy.front(caller.service.baseUrl, toxics);
    const key = bigKey(caller.service);
    const answer = await fetch(`${front.url}/v1/workers/echo/jobs`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ text: "späße" }).padEnd(bytes),
    }).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { job_uuid?: string } | null;
    const { jobs } = (await caller.get("/v1/jobs")).body as { jobs: unknown[] };
    return { caller, status: answer?.status ?? 0, id: body?.job_uuid ?? "", jobs: jobs.length };
  }

  it.each([
    [covers("that is reset in mid-body", "2 reference"), resetAfter("upstream", HALF)],
    [covers("whose body takes too long", "5 reference"), byteByByte("upstream", 1)],
  ])("%s starts no job, and the next one is answered", async (_, toxics) => {
    const { caller, status, jobs } = await submitted(toxics, 20_000, 2_000);
    expect([0, 408]).toContain(status);
    expect(jobs).toBe(0);
    await caller.submit("echo", { text: "x" });
  });

  it.each([
    [covers("in packets of a byte", "6 reference"), bothWays((stream) => byteByByte(stream, 1))],
    [covers("over a slow line", "7 reference"), bothWays(slowLine)],
  ])("%s is read whole", async (_, toxics) => {
    const { caller, status, id, jobs } = await submitted(toxics, 0);
    expect([status, jobs]).toEqual([202, 1]);
    expect(JSON.stringify(await caller.follow(id))).toContain("späße");
  });
});
