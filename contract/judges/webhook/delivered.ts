/** webhook.delivered: a POST for each job that reaches a terminal state. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import { utc } from "../../timestamps.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { deliveryGraceMs, endedCases } from "./case.ts";
import { isSettled } from "./held.ts";
import { endsNotTried, nameOf, seenOf } from "./witness.ts";

export function deliveredClaim(run: WebhookRun): Claim {
  const ended = endedCases(run);
  const silent = ended.filter(({ deliveries }) => deliveries.length === 0);
  const missing = silent.filter((each) => isSettled(run, each, deliveryGraceMs(run)));
  const otherwise = run.cases.filter((each) => otherMethod(each) !== undefined);
  const came = ended.filter((each) => !silent.includes(each) && !otherwise.includes(each));
  const ends = [...new Set(came.map(({ expected }) => expected))];
  const isUnreached = missing.length === ended.length && run.receiverReach === "unknown";
  const reach = "whether the service can reach the receiver is not known";
  return countedClaim({
    promise: "webhook.delivered",
    faults: [...missing.map(silentFault), ...otherwise.flatMap(methodFault)],
    open: silent
      .filter((each) => !missing.includes(each))
      .map(({ jobId }) => ({ what: `${jobId} ended too late to wait for its delivery` })),
    clean: came.map((each) => seenOf(each)),
    of: "jobs",
    off: "had ended without a webhook by POST",
    kept: `${came.length} ended jobs were delivered: ${ends.join(", ")}`,
    without: "no job with a webhook ended",
    explanations: isUnreached ? [anything("network", reach)] : [],
    quorum: { openShare: 0 },
    notTried: endsNotTried(came),
  });
}

/** When its end was known, and until when nothing came. */
function silentFault(each: WebhookCase) {
  const { jobId, part, expected, endKnownAtMs, watchedUntilMs, looks: polls, submission } = each;
  const ended = `(${part}, ${expected}) had ended at ${utc(endKnownAtMs ?? watchedUntilMs)}`;
  const what = `${jobId} ${ended}, nothing came until ${utc(watchedUntilMs)}`;
  return { what, ...seenOf(each), exchanges: [polls.at(-1) ?? submission] };
}

function methodFault(each: WebhookCase) {
  const delivery = otherMethod(each);
  if (delivery === undefined) return [];
  const what = `${nameOf({ each, delivery })} arrived by ${delivery.method}, promised POST`;
  return [{ what, ...seenOf(each, [delivery]) }];
}

function otherMethod({ deliveries }: WebhookCase) {
  return deliveries.find(({ method }) => method !== "POST");
}
