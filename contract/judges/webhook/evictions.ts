/** What the receiver itself may have evicted: deliveries that are missing prove nothing then. */

import type { Explanation } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

/** Neither `broken` nor `kept` stands where the record of deliveries has holes of our own. */
export function evictionsIn(run: WebhookRun): readonly Explanation[] {
  const { deliveries, tokens } = run.pushedOut;
  const why =
    `the receiver had no room and evicted ${deliveries} deliveries and ${tokens} tokens, ` +
    "some of this run may be among them";
  return hasHoles(run) ? [anything("eviction", why)] : [];
}

/** A token that is evicted begins anew, so that its deliveries no longer show what went. */
function hasHoles({ cases, pushedOut }: WebhookRun): boolean {
  return pushedOut.tokens > 0 || (pushedOut.deliveries > 0 && cases.some(lacksItsFirst));
}

/** The oldest are evicted first: where the first attempt is there, so are the others. */
function lacksItsFirst({ jobId, deliveries }: WebhookCase): boolean {
  return jobId !== null && deliveries[0]?.attempt !== 1;
}
