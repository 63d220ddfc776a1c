/** Webhooks of the jobs of a soak. */

import { describe, expect, it } from "vitest";
import type { WebhookTally } from "../../../../contract/judges/load/webhooks.ts";
import { loadWebhooksClaim } from "../../../../contract/judges/load/webhooks.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { violations } from "./violations.ts";

const ALL: WebhookTally = {
  ended: 200,
  delivered: 200,
  missing: violations(0),
  late: 0,
  unvouched: 0,
  pending: 0,
  receiverDoubt: null,
};
const ONE_MISSING = { delivered: 199, missing: violations(1) };
const DOUBT = { receiverDoubt: "the receiver stopped answering" };

const CASES = [
  { title: "each job has its webhook", given: {}, verdict: "kept" },
  { title: "one did not come", given: ONE_MISSING, verdict: "broken" },
  {
    title: "one may have been lost here",
    given: { ...ONE_MISSING, ...DOUBT },
    verdict: "inconclusive",
  },
  { title: "some came late", given: { late: 3 }, verdict: "kept" },
  {
    title: "some came late, and one did not come",
    given: { ...ONE_MISSING, late: 3 },
    verdict: "inconclusive",
  },
  { title: "all came to a doubtful receiver", given: DOUBT, verdict: "kept" },
  { title: "one may still come", given: { delivered: 199, pending: 1 }, verdict: "inconclusive" },
  {
    title: "one came without a signature that fits",
    given: { delivered: 199, unvouched: 1 },
    verdict: "inconclusive",
  },
  {
    title: "one came without a signature that fits, and one did not come",
    given: { ...ONE_MISSING, ended: 201, unvouched: 1 },
    verdict: "broken",
  },
  { title: "no job ended", given: { ended: 0, delivered: 0 }, verdict: "unobserved" },
] as const;

describe("load.webhooks", () => {
  it.each(CASES)("$title: $verdict", ({ given, verdict }) => {
    expect(decide(loadWebhooksClaim({ ...ALL, ...given }, "no job ended")).verdict).toBe(verdict);
  });
});
