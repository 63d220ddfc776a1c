/** webhook.signed: who signed a delivery, and when by the signature itself. Spec §5.5. */

import { isUnchecked } from "../../delivery.ts";
import type { Claim } from "../../judging/claim.ts";
import type { WebhookRun } from "./case.ts";
import type { Told } from "./told.ts";
import { allTold, toldClaim } from "./told.ts";

/** Receivers refuse a signature that is older, or so far ahead. Standard Webhooks, "Timestamp". */
const AGE_MS_MAX = 300_000;

export function signedClaim(run: WebhookRun): Claim {
  const { signatureScheme: scheme } = run;
  const told = allTold(run).filter(({ delivery }) => !isUnchecked(scheme, delivery));
  const checked = told.every(({ delivery }) => delivery.signature === "valid");
  const how = checked ? `valid by ${scheme}` : "not checked (no scheme is set)";
  return toldClaim({
    promise: "webhook.signed",
    told,
    lieOf: signatureProblem,
    agrees: `deliveries have a signature, ${how}`,
    without: "nothing was delivered",
    evidence: { scheme },
  });
}

function signatureProblem(one: Told): string | null {
  const { signature } = one.delivery;
  if (signature === "absent") return "no signature";
  if (signature === "invalid") return "invalid signature";
  return signature === "valid" && isStale(one)
    ? "it is signed as of another time than its own"
    : null;
}

/**
 * By the service's own clock alone, whose offset to this machine's is nobody's fault: signed long
 * before its job ended, or further ahead than the time that has passed since it was submitted. A
 * retry may carry the signature of the first attempt.
 */
function isStale({ each, delivery: { signedAtMs, arrivedAtMs }, job }: Told): boolean {
  if (signedAtMs === null || job === null) return false;
  const { createdAt, finishedAt } = job;
  const passedMs = arrivedAtMs - each.submission.sentAtMs;
  if (finishedAt !== null && signedAtMs < finishedAt.ms - AGE_MS_MAX) return true;
  return createdAt !== null && signedAtMs > createdAt.ms + passedMs + AGE_MS_MAX;
}
