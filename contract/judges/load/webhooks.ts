/** Judges that each job of a soak that asked for a webhook got one. Spec §6. */

import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { inconclusive, kept, unobserved } from "../../verdict.ts";
import { brokenBy } from "./offences.ts";
import type { WebhookCounts } from "./tally.ts";

export interface WebhookTally extends WebhookCounts {
  /** Why what did not arrive may have got lost on our side; null when it can't have. */
  receiverDoubt: string | null;
}

export function judgeLoadWebhooks(tally: WebhookTally, without: string): Finding {
  const promise = "load.webhooks";
  const { ended, delivered, missing, late, unvouched, pending, receiverDoubt } = tally;
  if (ended === 0) return unobserved(promise, without);
  const evidence = { ended, delivered, missing: missing.count, late, unvouched, pending };
  if (missing.count > 0 && receiverDoubt !== null) {
    return inconclusive(promise, receiverDoubt, { evidence });
  }
  if (missing.count > 0 && late > 0) {
    const reason = `${missing.count} webhooks had not come when the soak was over, and may be late`;
    return inconclusive(promise, `${reason} as ${late} others were`, { evidence });
  }
  if (missing.count > 0) {
    const first = missing.kept[0]?.what ?? "";
    const summary = `${missing.count} of ${ended} webhooks did not come: ${first}`;
    return brokenBy(promise, missing, evidence, summary);
  }
  if (unvouched > 0) {
    const what = `of ${unvouched} jobs only deliveries came that have no signature that fits`;
    const reason = `${what} and may be anybody's (see webhook.signed)`;
    return inconclusive(promise, reason, { evidence });
  }
  if (pending > 0) {
    const reason = `${pending} webhooks had not come when the soak was over`;
    return inconclusive(promise, reason, { evidence });
  }
  return kept(promise, `${delivered} jobs ended, each with its webhook`, {
    evidence,
    strength: looksAt(delivered, "jobs"),
  });
}
