/** Whether the service reaches the receiver: told by a real job's webhook, or by its absence. */

import type { IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Target } from "../../contract/target.ts";
import { tryReceiver } from "../../gate/reachability.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { serve } from "../http/serve.ts";
import { bendingProxy } from "../probe/bending-proxy.ts";
import { openReference } from "../reference/open-reference.ts";

/** Of the embedded service's `echo`. */
const PRICE = { credits: 1, usd: 0.01 };

type Changes = (target: Target) => Partial<Target> | Promise<Partial<Target>>;

async function tryOn(changes: Changes, publicUrl: string | null, faults: readonly string[] = []) {
  const service = await openReference({ timeScale: 0.02, variant: "A", faults });
  const { target, secrets } = embeddedTarget(service);
  const webhook = target.webhook === null ? null : { ...target.webhook, publicUrl };
  const subject = { ...target, ...(await changes(target)), webhook };
  const receiver = await openReceiver(subject, secrets);
  onTestFinished(() => receiver.close());
  const signal = new AbortController().signal;
  return tryReceiver({ target: subject, secrets, receiver, price: PRICE, signal });
}

describe("tryReceiver", () => {
  it("finds that a webhook comes", async () => {
    const spent = { jobs: 1, credits: 1, usd: 0.01 };
    const found = { missing: null, reach: "seen", spent, estimate: 1 };
    expect(await tryOn(() => ({}), null)).toEqual(found);
  });

  it("tells the address that no webhook came to", async () => {
    const elsewhere = await serve((_, response) => response.end());
    const { missing, reach, spent } = await tryOn(() => ({}), elsewhere);
    expect(missing).toContain(`did not come to ${elsewhere}`);
    expect([reach, spent.jobs]).toEqual(["missed", 2]);
  });

  it("tells that something else came, where a service changes the address", async () => {
    const budget = { jobs: 2, credits: null, usd: null };
    const fault = "webhook.delivered/in-lower-case";
    const { missing, reach } = await tryOn(() => ({ budget }), null, [fault]);
    expect(reach).toBe("missed");
    expect(missing).toMatch(/did not come to .* [1-9] other requests? came there meanwhile/);
  });

  it("tries a second job where a webhook is lost", async () => {
    let submitted = 0;
    const request = (body: string) => {
      if (!body.includes('"webhook"')) return body;
      submitted += 1;
      return submitted === 1 ? JSON.stringify({ ...JSON.parse(body), webhook: undefined }) : body;
    };
    const losing = async ({ baseUrl }: Target) => {
      return { baseUrl: await bendingProxy(baseUrl, { request }) };
    };
    const spent = { jobs: 2, credits: 2, usd: 0.02 };
    const found = { missing: null, reach: "seen", spent, estimate: 1 };
    expect(await tryOn(losing, null)).toEqual(found);
  });

  it("tries no second job where the budget does not allow it", async () => {
    const elsewhere = await serve((_, response) => response.end());
    const budget = { jobs: 2, credits: null, usd: null };
    const { spent } = await tryOn(() => ({ budget }), elsewhere);
    expect(spent.jobs).toBe(1);
  });

  it("tells where a job is refused for its webhook alone", async () => {
    const request = (body: string) => (body.includes('"webhook"') ? "[]" : body);
    const refusing = async ({ baseUrl }: Target) => {
      return { baseUrl: await bendingProxy(baseUrl, { request }) };
    };
    const { missing, reach, spent } = await tryOn(refusing, null);
    expect(missing).toMatch(/a webhook at http.* was refused with 400, and accepted without it/);
    expect([reach, spent.jobs]).toEqual(["unknown", 1]);
  });

  it("says nothing where a job is refused with its webhook or without", async () => {
    const refusing = async ({ baseUrl }: Target) => {
      return { baseUrl: await bendingProxy(baseUrl, { request: () => "[]" }) };
    };
    const { missing, spent } = await tryOn(refusing, null);
    expect([missing, spent.jobs]).toEqual([null, 0]);
  });

  it.each([
    ["each a trace where traces are asked for", { url: null }, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/],
    ["no trace otherwise", null, /^undefined$/],
  ])("gives its requests %s", async (_, trace, expected) => {
    const seen: string[] = [];
    const watched = async ({ baseUrl }: Target) => {
      const note = (body: string, { headers }: IncomingMessage) => {
        seen.push(String(headers.traceparent));
        return body;
      };
      return { baseUrl: await bendingProxy(baseUrl, { answer: note }), trace };
    };
    expect(await tryOn(watched, null)).toMatchObject({ spent: { jobs: 1 } });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter((each) => !expected.test(each))).toEqual([]);
  });

  it("submits nothing without a cheap worker, or where the budget does not allow it", async () => {
    const spent = { jobs: 0, credits: 0, usd: 0 };
    const without = { missing: null, reach: "unknown", spent, estimate: null };
    expect(await tryOn(() => ({ workers: {} }), null)).toEqual(without);
    for (const budget of [{ jobs: 1 }, { credits: 1.5 }, { usd: 0.01 }]) {
      const given = { budget: { jobs: null, credits: null, usd: null, ...budget } };
      expect(await tryOn(() => given, null)).toEqual(without);
    }
  });
});
