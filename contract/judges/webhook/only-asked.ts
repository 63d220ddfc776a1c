/** webhook.only-asked: no POST for a job that was submitted without a webhook. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import { utc } from "../../timestamps.ts";
import { namedJob } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { deliveryGraceMs } from "./case.ts";
import { isSettled } from "./held.ts";
import { seenOf } from "./witness.ts";

export function onlyAskedClaim(run: WebhookRun): Claim {
  const { cases, unasked } = run;
  const ids = new Set(unasked.map(({ jobId }) => jobId));
  const all = cases.flatMap((each) => each.deliveries.map((delivery) => ({ each, delivery })));
  const uncalled = all.filter(({ delivery }) => ids.has(namedJob(delivery) ?? ""));
  const settled = unasked.filter((each) => isSettled(run, each, deliveryGraceMs(run)));
  const clean = settled.filter(({ jobId }) => {
    return !uncalled.some(({ delivery }) => namedJob(delivery) === jobId);
  });
  return countedClaim({
    promise: "webhook.only-asked",
    faults: uncalled.map(({ each, delivery }) => ({
      what: `${namedJob(delivery)} was delivered at ${utc(delivery.arrivedAtMs)}`,
      ...seenOf(each, [delivery]),
    })),
    open: unasked
      .filter((each) => !settled.includes(each))
      .map(({ jobId }) => ({
        what: `${jobId}, without a webhook, was not watched beyond its end`,
      })),
    good: clean.length,
    of: "jobs",
    off: "without a webhook were delivered",
    kept: `none of ${settled.length} jobs without a webhook was delivered`,
    without: "no job without a webhook was submitted",
    hidden: all.length > 0 ? [] : [anything("too little seen", "nothing at all was delivered")],
  });
}
