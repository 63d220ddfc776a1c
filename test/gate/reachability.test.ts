/** Whether the service reaches the receiver: told by a real job's webhook, or by its absence. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { Target } from "../../contract/target.ts";
import { tryReceiver } from "../../gate/reachability.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { startReference } from "../../reference/service.ts";
import { serve } from "./serve.ts";

async function tryOn(changes: (target: Target) => Partial<Target>, publicUrl: string | null) {
  const service = await startReference({ timeScale: 0.02 });
  onTestFinished(() => service.close());
  const { target, secrets } = embeddedTarget(service);
  const webhook = target.webhook === null ? null : { ...target.webhook, publicUrl };
  const subject = { ...target, ...changes(target), webhook };
  const receiver = await openReceiver(subject, secrets);
  onTestFinished(() => receiver.close());
  const signal = new AbortController().signal;
  return tryReceiver({ target: subject, secrets, receiver, signal });
}

describe("tryReceiver", () => {
  it("finds that a webhook comes", async () => {
    expect(await tryOn(() => ({}), null)).toEqual({ missing: null, reach: "seen", jobs: 1 });
  });

  it("tells the address that no webhook came to", async () => {
    const elsewhere = await serve((_, response) => response.end());
    const { missing, reach, jobs } = await tryOn(() => ({}), elsewhere);
    expect(missing).toContain(`did not come to ${elsewhere}`);
    expect([reach, jobs]).toEqual(["unknown", 1]);
  }, 60_000);

  it("submits nothing where no cheap worker is configured, or the budget has no room", async () => {
    const without = { missing: null, reach: "unknown", jobs: 0 };
    expect(await tryOn(() => ({ workers: {} }), null)).toEqual(without);
    const budget = { jobs: 1, credits: null, usd: null };
    expect(await tryOn(() => ({ budget }), null)).toEqual(without);
  });
});
