/** webhook.signed: who signed a delivery, and when by the signature itself. Spec §5.5. */

import { isUnchecked } from "../../delivery.ts";
import type { Claim } from "../../judging/claim.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../webhook-schedule.ts";
import { bodyOf } from "./attempts.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { toldClaim } from "./told.ts";

/** Receivers refuse a signature that is older, or so far ahead. Standard Webhooks, "Timestamp". */
const AGE_MS_MAX = 300_000;

export function signedClaim(run: WebhookTimeline): Claim {
  const { signatureScheme: scheme } = run;
  const all = run.attempts.filter(({ delivery }) => !isUnchecked(scheme, delivery));
  // Once one has it under the neutral name, that is the service's own.
  const isNamed = all.some(({ delivery }) => delivery.signature !== "absent");
  const told = all.filter(({ delivery }) => isNamed || delivery.unnamedSignature === undefined);
  const checked = told.every(({ delivery }) => delivery.signature === "valid");
  const how = checked ? `valid by ${scheme}` : "not checked (no scheme is set)";
  return toldClaim({
    promise: "webhook.signed",
    told,
    lieOf: signatureProblem,
    agrees: `deliveries have a signature, ${how}`,
    without: withoutReason(all),
    evidence: { scheme },
  });
}

/** No service uses the name that the specification writes. Spec §5.5. */
function withoutReason(all: readonly Attempt[]): string {
  const [name] = all.flatMap(({ delivery }) => delivery.unnamedSignature ?? []);
  if (name === undefined) return "nothing was delivered";
  const lacking = `no ${WEBHOOK_SIGNATURE_HEADER}, whose name stands for the service's own`;
  return `${lacking}; it may be "${name}": set webhook.signature.header`;
}

function signatureProblem(one: Attempt): string | null {
  const { signature } = one.delivery;
  if (signature === "absent") return "no signature";
  if (signature === "invalid") return `invalid signature${cutText(one)}`;
  return signature === "valid" && isStale(one)
    ? "it is signed as of another time than its own"
    : null;
}

/** Where a length counts characters, a body ends too soon, and none of it can be checked. */
function cutText({ delivery }: Attempt): string {
  if (delivery.body === "" || bodyOf(delivery) !== undefined) return "";
  const length = `a body of ${delivery.bodyBytes} bytes that is no JSON`;
  return ` of ${length}: if it ends too soon, its Content-Length may count characters`;
}

/**
 * By the service's own clock alone, whose offset to this machine's is nobody's fault: signed long
 * before its job ended, or further ahead than the time that has passed since it was submitted. A
 * retry may carry the signature of the first attempt.
 */
function isStale({ each, delivery: { signedAtMs, arrivedAtMs } }: Attempt): boolean {
  if (signedAtMs === null || each.endedJob === null) return false;
  const { createdAt, finishedAt } = each.endedJob;
  const passedMs = arrivedAtMs - each.submission.sentAtMs;
  const atMostMs = createdAt === null ? Number.POSITIVE_INFINITY : createdAt.ms + passedMs;
  // An end that is told to be later than that is not the signature's fault.
  const endedMs = finishedAt === null ? 0 : Math.min(finishedAt.ms, atMostMs);
  return signedAtMs < endedMs - AGE_MS_MAX || signedAtMs > atMostMs + AGE_MS_MAX;
}
