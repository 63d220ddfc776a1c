/** The looks at the account, beside the jobs. */

import type { IncomingMessage } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { startReference } from "../../../reference/service.ts";
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

it.each([{ usage: { credits: 40 } }, { credits: { monthly_credits: 100 } }])(
  "%j is no balance: what is left is not known",
  async (credits) => {
    const service = await startReference({ timeScale: 0.02 });
    onTestFinished(() => service.close());
    const answer = (body: string, { url }: IncomingMessage) =>
      url === "/v1/me/credits" ? JSON.stringify(credits) : body;
    const baseUrl = await bendingProxy(service.baseUrl, { answer });
    const { probe, sample } = await open({ canaries: [canary("success")], target: { baseUrl } });
    probe.start();
    const checked = () => sample(/^plumbline_api_checks_total.*"credits",outcome="success"/);
    await vi.waitFor(async () => expect(await checked()).toBe(1), 10_000);
    expect(await sample(/^plumbline_credits_left/)).toBeNaN();
  },
);
