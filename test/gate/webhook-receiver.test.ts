/** The receiver of a gate run: whose deliveries it takes, and when a job must tell its reach. */

import { describe, expect, it, onTestFinished } from "vitest";
import { deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { OpenReceiver } from "../../gate/webhook-receiver.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { newToken, post } from "../receiver/post.ts";
import { BASE_TARGET } from "./base-target.ts";

const WEBHOOK = {
  listen: { host: "127.0.0.1", port: 0 },
  publicUrl: null,
  signature: { header: "X-Service-Signature", scheme: "present", secretEnvs: [] },
} as const;
const PUBLIC = { ...WEBHOOK, publicUrl: "https://hooks.example.com" };

async function opened(changes = {}): Promise<OpenReceiver> {
  const target = { ...BASE_TARGET, baseUrl: "http://127.0.0.1:9", webhook: WEBHOOK, ...changes };
  const receiver = await openReceiver(target, new Map());
  onTestFinished(() => receiver.close());
  return receiver;
}

async function takes(receiver: OpenReceiver, token: string): Promise<boolean> {
  const { publicUrl = "" } = receiver.access ?? {};
  const script = [{ kind: "status", status: 200, delayMs: 0 }] as const;
  const { status } = await post(deliveryUrl(publicUrl, token, script));
  const isKept = await receiver.hasDelivery(token);
  expect(status).toBe(isKept ? 200 : 404);
  return isKept;
}

describe("openReceiver", () => {
  it(covers("keeps what comes with a token of the run, and nothing else", "44 gate"), async () => {
    const [receiver, other] = [await opened(), await opened()];
    const prefix = receiver.access?.tokenPrefix ?? "";
    expect(prefix).toMatch(/^[\w-]{22}-$/);
    expect(await takes(receiver, prefix + newToken())).toBe(true);
    expect(await takes(receiver, newToken())).toBe(false);
    expect(await takes(receiver, other.access?.tokenPrefix + newToken())).toBe(false);
  });

  it.each([
    ["of the suite's own service", { embedded: true }, true],
    ["of a service on this machine, perhaps in a container", { embedded: false }, false],
    ["of a service elsewhere", { baseUrl: "https://api.example.com", webhook: PUBLIC }, false],
    ["behind a public address", { embedded: true, webhook: PUBLIC }, false],
  ])("knows the reach %s: %o", async (_, changes, isSurelyReached) => {
    expect(await opened(changes)).toMatchObject({ isSurelyReached });
  });

  it("keeps a port that refuses only for those who come directly", async () => {
    expect((await opened()).access?.refusingUrl).toMatch(/^http:/);
    expect((await opened({ webhook: PUBLIC })).access?.refusingUrl).toBeNull();
  });
});
