/** What the receiver had no room for is not held against the service, nor for it. */

import { expect, it } from "vitest";
import type { WebhookRun } from "../../../../contract/judges/webhook/case.ts";
import { caseOf, doubts, HEALTHY, runWith, webhookFinding } from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const SOME = { deliveries: 4, tokens: 0 };
const NONE = { deliveries: 0, tokens: 0 };

/** One job whose only delivery is not there, and one whose first attempt is missing. */
function withHoles(pushedOut: WebhookRun["pushedOut"]): WebhookRun {
  const schedule = caseOf("ladder", [0, 30_000, 330_000], {
    delivery: ({ attempt }) => ({ attempt: attempt + 1 }),
  });
  const lost = caseOf("first", [], { deliveries: [], looks: [] });
  return runWith(
    { first: () => [...HEALTHY.first(), lost], ladder: () => [schedule, ...HEALTHY.ladder()] },
    { pushedOut },
  );
}

const full = /the receiver had no room and evicted 4 deliveries and 0 tokens/;

table("webhook.delivered", [
  ["a missing one may have been evicted", () => withHoles(SOME), "inconclusive", full],
  ["nothing was evicted", () => withHoles(NONE), "broken", /1 of \d+ jobs had ended/],
  ["others were, as all are there", () => runWith({}, { pushedOut: SOME }), "kept", /delivered/],
]);

table("webhook.wait-1", [
  ["a wait between others may be what is seen", () => withHoles(SOME), "inconclusive", full],
  ["nothing was evicted", () => withHoles(NONE), "broken", /promised 5/],
]);

it("leaves what deliveries themselves say", () => {
  const faulty = { body: () => ({ event: "job.completed" }) };
  const cases = { reset: () => [caseOf("reset", [0, 5_002], faulty)] };
  const run = { ...runWith(cases), pushedOut: { deliveries: 1, tokens: 1 } };
  expect(webhookFinding("webhook.body", run).verdict).toBe("broken");
  expect(webhookFinding("webhook.signed", run).verdict).toBe("kept");
});

it("withdraws all that rests on a whole record once a token's count began anew", () => {
  const found = doubts(runWith({}, { pushedOut: { deliveries: 0, tokens: 1 } }));
  expect(found).toMatchObject({
    "webhook.once": "inconclusive",
    "webhook.retried": "inconclusive",
  });
  expect(Object.keys(found)).toHaveLength(10);
});
