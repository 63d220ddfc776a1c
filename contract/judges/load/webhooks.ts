/** load.webhooks: each job of a soak that asked for a webhook got one. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { alike, anything, anythingIf, countedClaim } from "../../judging/claim.ts";
import type { RunPlan } from "../../run/run-plan.ts";
import { hostLagOf } from "./reading.ts";
import type { LoadSeen, WebhookCounts } from "./tally.ts";
import { faultsOf } from "./violations.ts";

export interface WebhookTally extends WebhookCounts {
  /** Why what did not arrive may have got lost on our side; null when it can't have. */
  receiverDoubt: string | null;
}

export function loadWebhooksClaim(tally: WebhookTally, without: string): Claim {
  const { delivered, missing, late, unvouched, pending, receiverDoubt } = tally;
  const unsigned =
    "only deliveries without a valid signature arrived (see webhook.signed; each account may " +
    "have a secret of its own)";
  return countedClaim({
    promise: "load.webhooks",
    faults: faultsOf(missing),
    open: [
      ...alike(unvouched, `for ${unvouched} jobs ${unsigned}`).map((each) => ({
        ...each,
        explainedBy: [{ promise: "webhook.signed" }] as const,
      })),
      ...alike(pending, `${pending} webhooks had not arrived when the soak was over`),
    ],
    good: delivered,
    of: "jobs",
    off: "that ended had no webhook",
    kept: `${delivered} jobs ended, each with its webhook`,
    without,
    explanations: [
      ...(receiverDoubt === null ? [] : [anything("network", receiverDoubt)]),
      ...anythingIf(late > 0, "too little seen", `they may be late as ${late} others were`),
    ],
    quorum: { openShare: 0 },
    evidence: { delivered, late, unsigned: unvouched, pending },
  });
}

export function webhooksClaim(seen: LoadSeen, plan: RunPlan): Claim {
  if (plan.receiver === null) {
    const without = plan.receiverMissing ?? "there is no webhook receiver";
    return countedClaim({ promise: "load.webhooks", of: "jobs", without });
  }
  const receiverDoubt = receiverDoubtOf(seen, plan);
  return loadWebhooksClaim({ ...seen.tally.webhooks, receiverDoubt }, "no job of the soak ended");
}

/** Ours: with less lag, no three attempts in a row miss the limit of an answer. */
const ANSWER_LIMITS = 2;

/** Why a webhook may have been lost, or given up, through no fault of the service. */
function receiverDoubtOf({ tally, hasFeed, evicted }: LoadSeen, plan: RunPlan): string | null {
  if (plan.receiverReach === "unknown" && tally.webhooks.delivered === 0) {
    return "nothing was delivered: whether the service can reach the receiver is not known";
  }
  if (!hasFeed) return "the receiver stopped answering while the soak went on";
  if (evicted > 0) {
    return `the receiver evicted ${evicted} deliveries before they were read`;
  }
  const lag = hostLagOf(tally);
  const lagMs = Math.round(lag.wholeMs);
  const limitMs = plan.times.webhookAnswerMs;
  if (lagMs < ANSWER_LIMITS * limitMs) return null;
  return `threads of this machine waited ${lagMs} ms for a core; a response may take ${limitMs} ms`;
}
