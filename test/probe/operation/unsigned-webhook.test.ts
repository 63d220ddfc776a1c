/** A post without the service's signature speaks of nothing but that. */

import { expect, it, onTestFinished } from "vitest";
import { WEBHOOK_SIGNATURE_HEADER } from "../../../contract/webhook-schedule.ts";
import { startReference } from "../../../reference/service.ts";
import { bendingProxy } from "../bending-proxy.ts";
import { canary, open } from "../open-probe.ts";

/** A probe whose webhook URL a stranger has learnt, who posts to it as soon as the job is there. */
async function withStranger(faults: readonly string[] = [], bodyBytes = 0) {
  // Of the same seed as the one that lends its keys and its signing secret to the probe.
  const service = await startReference({ timeScale: 0.02, faults });
  onTestFinished(() => service.close());
  const webhooks: string[] = [];
  const baseUrl = await bendingProxy(service.baseUrl, {
    request: (body) => {
      const { webhook } = JSON.parse(body) as { webhook?: string };
      if (webhook !== undefined) webhooks.push(webhook);
      return body;
    },
    answer: async (body) => {
      const url = webhooks.shift();
      const lie = JSON.stringify({ event: "job.failed", job_uuid: "another", status: "failed" });
      for (let time = 0; url !== undefined && time < 2; time += 1) {
        const headers = { [WEBHOOK_SIGNATURE_HEADER]: "sha256=00" };
        const body = lie.padEnd(bodyBytes);
        await fetch(url, { method: "POST", headers, body });
      }
      return body;
    },
  });
  const opened = await open({
    canaries: [canary("success", { webhook: true })],
    target: { baseUrl },
  });
  const { probe, sample } = opened;
  const run = (await probe.once()).get("success");
  while ((await sample(/_sli_events_total.*webhook-delivered/)) === 0) {
    await new Promise((over) => setTimeout(over, 50));
  }
  return { run, ...opened };
}

const BEYOND_CAP_BYTES = 260 * 1024;
const VIOLATIONS = /^plumbline_promise_violations_total/;
const deliveries = (outcome: string) =>
  new RegExp(`^plumbline_webhook_deliveries_total.*outcome="${outcome}"`);

it("a stranger's posts break webhook.signed alone, and the true delivery counts", async () => {
  const { run, sample } = await withStranger();
  expect(run).toMatchObject({ outcome: "success" });
  expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(1);
  expect(await sample(deliveries("first"))).toBe(1);
  while ((await sample(VIOLATIONS)) === 0) await new Promise((over) => setTimeout(over, 50));
  expect(await sample(deliveries("unsigned"))).toBe(1);
  expect(await sample(deliveries("repeated"))).toBe(0);
  expect(await sample(/^plumbline_promise_violations_total.*"webhook.signed"/)).toBe(1);
  expect(await sample(VIOLATIONS)).toBe(1);
});

it("a stranger's posts beyond the receiver's cap count for nothing", async () => {
  const { run, sample } = await withStranger([], BEYOND_CAP_BYTES);
  expect(run).toMatchObject({ outcome: "success" });
  expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(1);
  expect(await sample(deliveries("first"))).toBe(1);
  expect(await sample(deliveries("unsigned"))).toBe(0);
  expect(await sample(VIOLATIONS)).toBe(0);
});

it("a stranger's posts are no delivery where the service sends none", async () => {
  const { run, sample } = await withStranger(["webhook.delivered/never"]);
  expect(run).toMatchObject({ outcome: "success" });
  expect(await sample(/_sli_events_total.*webhook-delivered",result="bad"/)).toBe(1);
  expect(await sample(deliveries("first"))).toBe(0);
  expect(await sample(/^plumbline_promise_violations_total.*"webhook.signed"/)).toBe(1);
  expect(await sample(VIOLATIONS)).toBe(1);
});
