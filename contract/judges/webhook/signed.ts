/** Who signed a delivery, and when by the signature itself. Spec §5.5. */

import { counted } from "../../judging/claim.ts";
import type { Finding } from "../../verdict.ts";
import { broken, kept, unobserved } from "../../verdict.ts";
import type { WebhookRun } from "./case.ts";
import type { Told } from "./told.ts";
import { allTold, liesIn } from "./told.ts";
import { groundsOf, nameOf, strengthOf } from "./witness.ts";

/** Receivers refuse a signature that is older, or so far ahead. Standard Webhooks, "Timestamp". */
const AGE_MS_MAX = 300_000;

const ABSENT = "have no signature";
const INVALID = "have one that does not fit";
const STALE = "are signed as of another time than theirs";

export function judgeSigned(run: WebhookRun): Finding {
  const promise = "webhook.signed";
  const told = allTold(run).filter(({ delivery }) => !delivery.truncated);
  if (told.length === 0) return unobserved(promise, "nothing was delivered");
  const wrong = liesIn(told, signatureProblem);
  const counts = counted(wrong.map(({ lie }) => lie));
  const evidence = {
    deliveries: told.length,
    absent: counts[ABSENT] ?? 0,
    invalid: counts[INVALID] ?? 0,
    stale: counts[STALE] ?? 0,
    ends: counted(told.map(({ each }) => each.expected)),
    wrongOfEnds: counted(wrong.map(({ one }) => one.each.expected)),
    scheme: run.signatureScheme,
  };
  const [first] = wrong;
  if (first !== undefined) {
    const shown = wrong.map(({ one }) => one);
    const what = `of ${told.length} deliveries ${counts[first.lie]} ${first.lie}`;
    return broken(
      promise,
      `${what} (${nameOf(first.one)})`,
      groundsOf(
        evidence,
        shown.map(({ each }) => each),
        { shown },
      ),
    );
  }
  const checked = told.every(({ delivery }) => delivery.signature === "valid");
  const how = checked ? `valid by ${run.signatureScheme}` : "present (no scheme to check it by)";
  const cases = told.map(({ each }) => each);
  const strength = strengthOf({ count: told.length, of: "deliveries" }, cases);
  return kept(promise, `${told.length} signatures ${how}`, { evidence, strength });
}

function signatureProblem(one: Told): string | null {
  const { signature } = one.delivery;
  if (signature === "absent") return ABSENT;
  if (signature === "invalid") return INVALID;
  return signature === "valid" && isStale(one) ? STALE : null;
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
