/** load.webhooks: each job of a soak that asked for a webhook got one. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { alike, anything, countedClaim } from "../../judging/claim.ts";
import { faultsOf } from "./offences.ts";
import type { WebhookCounts } from "./tally.ts";

export interface WebhookTally extends WebhookCounts {
  /** Why what did not arrive may have got lost on our side; null when it can't have. */
  receiverDoubt: string | null;
}

export function loadWebhooksClaim(tally: WebhookTally, without: string): Claim {
  const { delivered, missing, late, unvouched, pending, receiverDoubt } = tally;
  const unsigned = "only deliveries came that have no signature that fits (see webhook.signed)";
  return countedClaim({
    promise: "load.webhooks",
    faults: faultsOf(missing),
    open: [
      ...alike(unvouched, `of ${unvouched} jobs ${unsigned}`),
      ...alike(pending, `${pending} webhooks had not come when the soak was over`),
    ],
    good: delivered,
    of: "jobs",
    off: "that ended had no webhook",
    kept: `${delivered} jobs ended, each with its webhook`,
    without,
    explanations: [
      ...(receiverDoubt === null ? [] : [anything("network", receiverDoubt)]),
      ...(late === 0
        ? []
        : [anything("too little seen", `they may be late as ${late} others were`)]),
    ],
    quorum: { openShare: 0 },
    evidence: { delivered, late, unvouched, pending },
  });
}
