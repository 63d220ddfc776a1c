/** Leaves out what rests on deliveries that anybody may have sent who learnt the URL. Spec §5.5. */

import type { Delivery } from "../../delivery.ts";
import { isUnchecked, isVouched } from "../../delivery.ts";
import type { LeftOut } from "../../judging/claim.ts";
import { WEBHOOK_RETRY_WAITS_MS } from "../../webhook-schedule.ts";
import { isTaken } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

/**
 * What came without the service's signature proves nothing, neither for a promise nor against it.
 * A post that comes when the service has no more to send is left out; any other one may have taken
 * a step of the script, or be the service's own: its job says nothing. Who signs wrongly itself is
 * told so by `webhook.signed` alone.
 */
export function vouchedRun(run: WebhookRun): { run: WebhookRun; leftOut: LeftOut | null } {
  const cases = run.cases.flatMap((each) => vouchedPart(run, each) ?? []);
  const silent = run.cases.length - cases.length;
  const what =
    `${silent} of ${run.cases.length} jobs do not count, as some of their deliveries have no ` +
    "valid signature, or one that can't be checked, and may be from anybody " +
    "(see webhook.signed)";
  return {
    run: { ...run, cases },
    leftOut: silent === 0 ? null : { what, explainedBy: { promise: "webhook.signed" } },
  };
}

/** The case as the service itself has made it; null where that can't be told. */
function vouchedPart({ signatureScheme }: WebhookRun, each: WebhookCase): WebhookCase | null {
  const { deliveries, lagsMs } = each;
  const isOwn = deliveries.map((delivery) => isVouched(signatureScheme, delivery));
  const first = isOwn.indexOf(false);
  if (first === -1) return each;
  const isCut = deliveries.some((delivery) => isUnchecked(signatureScheme, delivery));
  if (isCut || !isOver(deliveries.slice(0, first))) return null;
  const kept = [...deliveries.keys()].filter((at) => isOwn[at]);
  return {
    ...each,
    deliveries: deliveries.filter((_, at) => isOwn[at]),
    lagsMs: kept.slice(1).map((at, before) => Math.max(...lagsMs.slice(kept[before], at))),
  };
}

/** Whether after these attempts none is due any more. Spec §6. */
function isOver(attempts: readonly Delivery[]): boolean {
  return attempts.some(isTaken) || attempts.length > WEBHOOK_RETRY_WAITS_MS.length;
}
