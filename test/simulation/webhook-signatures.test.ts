/** Signatures on a service that gets them, or when they were made, wrong. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { WebhookPost } from "../../reference/hooks.ts";
import type { Job } from "../../reference/jobs/job.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf, promisesWith } from "../contract/findings.ts";

const ONLY: readonly PromiseId[] = PROMISE_IDS.filter((id) => id.startsWith("webhook."));
const MINUTE_MS = 60_000;

const signedLater = (laterMs: number): Fault =>
  faultOf("webhook.signed", `signed-${laterMs}-ms-later`, "Signatures have another time", () => ({
    post: (post, { signedHeaders }) => ({ ...post, headers: signedHeaders(post.body, laterMs) }),
  }));

const signedOnce: Fault = faultOf("webhook.signed", "near-once", "Retries keep it", () => {
  const first = new WeakMap<Job, WebhookPost["headers"]>();
  return {
    post(post, { job }) {
      const headers = first.get(job) ?? post.headers;
      first.set(job, headers);
      return { ...post, headers };
    },
  };
});

describe.each(["timestamped", "standard-webhooks"] as const)("signed %s", (signature) => {
  it.each([
    ["ten minutes before the delivery", signedLater(-10 * MINUTE_MS), ["webhook.signed"]],
    ["an hour after it", signedLater(60 * MINUTE_MS), ["webhook.signed"]],
    ["a minute before it", signedLater(-MINUTE_MS), []],
    ["at the first attempt, for all retries", signedOnce, []],
  ])("%s", async (_title, fault, expected) => {
    const service = { variant: "B", faults: [fault.name], choices: { signature } } as const;
    const setting = { seed: 3, service, otherFaults: [fault], only: ONLY };
    const { findings } = await simulateGate(setting);
    expect(promisesWith(findings, "broken")).toEqual(expected);
  });
});

it("a service that signs all wrongly breaks one promise, and the others say why", async () => {
  const service = { variant: "B", faults: ["webhook.signed/tampered"] } as const;
  const { findings } = await simulateGate({ seed: 1, profile: "quick", service, only: ONLY });
  expect(promisesWith(findings, "broken")).toEqual(["webhook.signed"]);
  const once = findingOf(findings, "webhook.once");
  expect(once).toMatchObject({
    verdict: "unobserved",
    reason: expect.stringMatching(/by their signatures \(see webhook\.signed\)/),
  });
});

it.each([
  ["webhook.signed/of-ascii", "B", /^all \d+ invalid ones, none of the \d+ others: /],
  ["webhook.signed/tampered", "B", undefined],
  ["webhook.signed/of-another-body", "A", undefined],
] as const)("%s: evidence tells of characters beyond ASCII", async (fault, variant, tells) => {
  const service = { variant, faults: [fault] } as const;
  const { findings } = await simulateGate({ seed: 2, profile: "quick", service, only: ONLY });
  expect(promisesWith(findings, "broken")).toEqual(["webhook.signed"]);
  const { evidence } = findingOf(findings, "webhook.signed");
  expect(evidence["beyond ASCII"]).toEqual(tells && expect.stringMatching(tells));
});
