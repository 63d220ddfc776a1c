/** Withdraws what rests on deliveries that anybody may have sent who learnt the URL. Spec §5.5. */

import { isVouched } from "../../delivery.ts";
import type { Finding } from "../../verdict.ts";
import { inconclusive, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

type Judge = (run: WebhookRun) => Finding;

/**
 * A job at whose URL something came without the service's signature is no evidence, neither for a
 * promise nor against it: a stranger's post proves no delivery, takes a step of the script, and is
 * no repetition. Who signs wrongly itself is told so by `webhook.signed` alone.
 */
export function onVouchedJobs(judge: Judge): Judge {
  return (run) => {
    const vouched = run.cases.filter((each) => !isForged(run, each));
    const forged = run.cases.length - vouched.length;
    if (forged === 0) return judge(run);
    const found = judge({ ...run, cases: vouched });
    if (found.verdict === "broken" || found.verdict === "kept") return found;
    const reason =
      `${forged} of ${run.cases.length} jobs say nothing, as some of their deliveries have no ` +
      `signature that fits and may be anybody's (see webhook.signed): ${found.summary}`;
    if (found.verdict === "unobserved") return unobserved(found.promise, reason);
    return inconclusive(found.promise, reason, { evidence: found.evidence });
  };
}

function isForged({ signatureScheme }: WebhookRun, { deliveries }: WebhookCase): boolean {
  return deliveries.some((delivery) => !isVouched(signatureScheme, delivery));
}
