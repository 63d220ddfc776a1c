/** Withdraws what rests on missing deliveries that the receiver itself may have pushed out. */

import type { Explanation } from "../../judging/claim.ts";
import type { Finding } from "../../verdict.ts";
import { inconclusive } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

type Judge = (run: WebhookRun) => Finding;

/** What may have hidden a delivery, or its absence, where the record of them has holes of ours. */
export function evictionsIn(run: WebhookRun): readonly Explanation[] {
  const { deliveries, tokens } = run.pushedOut;
  const why =
    `the receiver had no room and pushed ${deliveries} deliveries and ${tokens} tokens out, ` +
    "some of this run may be among them";
  return hasHoles(run) ? [{ cause: "eviction", atMost: Number.POSITIVE_INFINITY, why }] : [];
}

/** Neither `broken` nor `kept` stands where the record of deliveries has holes of our own. */
export function onWholeRecords(judge: Judge): Judge {
  return (run) => {
    const found = judge(run);
    if (found.verdict === "unobserved" || !hasHoles(run)) return found;
    const { deliveries, tokens } = run.pushedOut;
    const reason =
      `the receiver had no room and pushed ${deliveries} deliveries and ${tokens} tokens out, ` +
      `some of this run may be among them: ${found.summary}`;
    return inconclusive(found.promise, reason, { evidence: found.evidence });
  };
}

/** A token that is pushed out begins anew, so that its deliveries no longer show what went. */
function hasHoles({ cases, pushedOut }: WebhookRun): boolean {
  return pushedOut.tokens > 0 || (pushedOut.deliveries > 0 && cases.some(lacksItsFirst));
}

/** The oldest are pushed out first: where the first attempt is there, so are the others. */
function lacksItsFirst({ jobId, deliveries }: WebhookCase): boolean {
  return jobId !== null && deliveries[0]?.attempt !== 1;
}
