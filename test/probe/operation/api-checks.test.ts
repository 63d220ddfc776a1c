/** The reads of the account, beside the jobs. */

import type { IncomingMessage } from "node:http";
import { expect, it, vi } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { createClient } from "../../../http/client.ts";
import type { ProbePorts } from "../../../probe/ports.ts";
import { openReference } from "../../reference/open-reference.ts";
import { bendingProxy } from "../bending-proxy.ts";
import { canary, open } from "../open-probe.ts";

it.each(["balance", "credits_remaining", "nested"] as const)(
  "the balance in credits is known where it stands as %s, beside what is held and its worth in USD",
  async (balanceField) => {
    const reference = { choices: { balanceField } };
    const { probe, sample } = await open({ reference, canaries: [canary("success")] });
    probe.start();
    await vi.waitFor(
      async () => expect(await sample(/^plumbline_credits_left/)).toBe(10_000_000),
      10_000,
    );
  },
);

const MONEY = { units: "12", nanos: 500_000_000 };

it.each([
  [{ usage: { credits: 40 } }, Number.NaN],
  [{ credits: { monthly_credits: 100 } }, Number.NaN],
  [{ balance: MONEY }, 12.5],
  [{ balance: { ...MONEY, currency_code: "USD" } }, Number.NaN],
  [{ balance: { amount: 7, unit: "credits" } }, 7],
  [{ balance: { amount: 7, unit: "tokens" } }, Number.NaN],
  [
    {
      balances: [
        { currency: "credits", amount: 7 },
        { currency: "USD", amount: 3 },
      ],
    },
    7,
  ],
  [{ balances: { credits: { amount: 7 }, EUR: { amount: 3 } } }, 7],
])("of %j the probe reads as credits left: %d", async (credits, expected) => {
  const service = await openReference({ timeScale: 0.02 });
  const answer = (body: string, { url }: IncomingMessage) =>
    url === "/v1/me/credits" ? JSON.stringify(credits) : body;
  const baseUrl = await bendingProxy(service.baseUrl, { answer });
  const { probe, sample } = await open({ canaries: [canary("success")], target: { baseUrl } });
  probe.start();
  const checked = () => sample(/^plumbline_api_checks_total.*"credits",outcome="success"/);
  await vi.waitFor(async () => expect(await checked()).toBe(1), 10_000);
  expect(await sample(/^plumbline_credits_left/)).toBe(expected);
});

it("a key that is rejected with 403 breaks no promise of the account", async () => {
  const body = JSON.stringify({ error: "forbidden", message: "no such key", status: 403 });
  const rejected = { status: 403, headers: { "content-type": "application/json" }, body };
  const ports = { createClient: losing("me", rejected) };
  const { probe, sample } = await open({ canaries: [canary("success")], ports });
  probe.start();
  const checked = () => sample(/^plumbline_api_checks_total.*"me",outcome="auth"/);
  await vi.waitFor(async () => expect(await checked()).toBe(1), 10_000);
  expect(await sample(/^plumbline_promise_violations_total.*account.readable/)).toBe(0);
});

it.each([
  { title: "a list of workers that names none any more fails its check", full: 1, failed: 1 },
  { title: "a list of workers that never named one passes its check", full: 0, failed: 0 },
])("$title", async ({ full, failed }) => {
  const service = await openReference({ timeScale: 0.02 });
  let lists = 0;
  const answer = (body: string, { url }: IncomingMessage) => {
    if (url !== "/v1/workers") return body;
    lists += 1;
    return lists <= full ? body : '{"workers":[]}';
  };
  const baseUrl = await bendingProxy(service.baseUrl, { answer });
  const { probe, sample } = await open({ canaries: [canary("success")], target: { baseUrl } });
  probe.start();
  const ended = (outcome: string) =>
    sample(new RegExp(`^plumbline_api_checks_total.*"workers",outcome="${outcome}"`));
  const all = async () => (await ended("success")) + (await ended("wrong_result"));
  await vi.waitFor(async () => expect(await all()).toBe(2), 20_000);
  expect(await ended("wrong_result")).toBe(failed);
});

it("a balance that the service no longer states is no longer known", async () => {
  const service = await openReference({ timeScale: 0.02 });
  const bodies = ['{"balance":5}', '{"usage":{"credits":40}}'];
  const answer = (body: string, { url }: IncomingMessage) =>
    url === "/v1/me/credits" ? (bodies.shift() ?? body) : body;
  const baseUrl = await bendingProxy(service.baseUrl, { answer });
  const { probe, sample } = await open({ canaries: [canary("success")], target: { baseUrl } });
  probe.start();
  const left = () => sample(/^plumbline_credits_left/);
  await vi.waitFor(async () => expect(await left()).toBe(5), 10_000);
  await vi.waitFor(async () => expect(await left()).toBeNaN(), 20_000);
});

it.each([
  ["this machine could not send counts for nothing", "local", "probe_error", 0],
  ["got no answer counts against the service", "timeout", "http_error", 1],
] as const)("a check that %s", async (_, error, outcome, bad) => {
  const lost = { status: 0, headers: {}, body: "", error };
  const ports = { createClient: losing("credits", lost) };
  const { probe, sample } = await open({ canaries: [canary("success")], ports });
  probe.start();
  const checks = (told: string) => sample(new RegExp(`^plumbline_api_checks_total.*${told}`));
  await vi.waitFor(
    async () => expect(await checks(`"credits",outcome="${outcome}"`)).toBe(1),
    10_000,
  );
  expect(await sample(/^plumbline_sli_events_total.*api-available",result="bad"/)).toBe(bad);
});

/** Clients whose requests of one route get what is given instead of an answer. */
function losing(route: Exchange["route"], lost: Partial<Exchange>): ProbePorts["createClient"] {
  return (baseUrl, options) => {
    const client = createClient(baseUrl, options);
    return {
      send: async (request) => {
        const exchange = await client.send(request);
        return exchange.route === route ? { ...exchange, ...lost } : exchange;
      },
      close: () => client.close(),
    };
  };
}
