/** A post without the service's signature speaks of nothing but that. */

import { expect, it } from "vitest";
import { WEBHOOK_SIGNATURE_HEADER } from "../../../contract/webhook-schedule.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { openReference } from "../../reference/open-reference.ts";
import { bendingProxy } from "../bending-proxy.ts";
import { canary, open, until } from "../open-probe.ts";

interface Posted {
  bodyBytes?: number;
  headers?: Record<string, string>;
}

/** A probe whose webhook URL a stranger has learnt, who posts to it as soon as the job is there. */
async function withStranger(
  faults: readonly string[] = [],
  { bodyBytes = 0, headers = { [WEBHOOK_SIGNATURE_HEADER]: "sha256=00" } }: Posted = {},
  told = /_sli_events_total.*webhook-delivered/,
  timeScale = 0.02,
) {
  // Of the same seed as the one that lends its keys and its signing secret to the probe.
  const service = await openReference({ timeScale, faults });
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
        const body = lie.padEnd(bodyBytes);
        // What is too long is cut off without an answer.
        await fetch(url, { method: "POST", headers, body }).catch(() => {});
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
  await until(async () => (await sample(told)) > 0);
  return { run, ...opened };
}

/** The service waits 2 s for an answer to its webhook: no busy machine lets it come again. */
const UNHURRIED = 0.2;

/** The receiver keeps 256 KiB of a body, and reads four times as much. */
const BEYOND_CAP_BYTES = 260 * 1024;
const BEYOND_READING_BYTES = 1_100 * 1024;
const VIOLATIONS = /^plumbline_promise_violations_total/;
const deliveries = (outcome: string) =>
  new RegExp(`^plumbline_webhook_deliveries_total.*outcome="${outcome}"`);

it(
  covers("a stranger's posts break webhook.signed alone, and the true delivery counts", "41 probe"),
  async () => {
    const { run, sample } = await withStranger([], {}, undefined, UNHURRIED);
    expect(run).toMatchObject({ outcome: "success" });
    expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(1);
    expect(await sample(deliveries("first"))).toBe(1);
    await until(async () => (await sample(VIOLATIONS)) > 0);
    expect(await sample(deliveries("unsigned"))).toBe(1);
    expect(await sample(deliveries("repeated"))).toBe(0);
    expect(await sample(/^plumbline_promise_violations_total.*"webhook.signed"/)).toBe(1);
    expect(await sample(VIOLATIONS)).toBe(1);
  },
);

it("a stranger's posts that can't be checked count for nothing", async () => {
  const { run, sample } = await withStranger(
    [],
    { bodyBytes: BEYOND_READING_BYTES },
    undefined,
    UNHURRIED,
  );
  expect(run).toMatchObject({ outcome: "success" });
  expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(1);
  expect(await sample(deliveries("first"))).toBe(1);
  expect(await sample(deliveries("unsigned"))).toBe(0);
  expect(await sample(VIOLATIONS)).toBe(0);
});

it.each<[string, Posted]>([
  ["", {}],
  [" beyond the receiver's cap", { bodyBytes: BEYOND_CAP_BYTES }],
  [" without a signature beyond the cap", { bodyBytes: BEYOND_CAP_BYTES, headers: {} }],
  [" without a signature, cut off", { bodyBytes: BEYOND_READING_BYTES, headers: {} }],
])("a stranger's posts%s are no delivery where the service sends none", async (_, posted) => {
  const { run, sample } = await withStranger(["webhook.delivered/never"], posted);
  expect(run).toMatchObject({ outcome: "success" });
  expect(await sample(/_sli_events_total.*webhook-delivered",result="bad"/)).toBe(1);
  expect(await sample(deliveries("first"))).toBe(0);
  expect(await sample(/^plumbline_promise_violations_total.*"webhook.signed"/)).toBe(1);
  expect(await sample(VIOLATIONS)).toBe(1);
});

it("one that can't be checked leaves open whether the service sent any, and is told", async () => {
  const posted = { bodyBytes: BEYOND_READING_BYTES };
  const { sample } = await withStranger(
    ["webhook.delivered/never"],
    posted,
    deliveries("unchecked"),
  );
  expect(await sample(deliveries("unchecked"))).toBe(1);
  expect(await sample(/_sli_events_total.*webhook-delivered/)).toBe(0);
  expect(await sample(VIOLATIONS)).toBe(0);
});
