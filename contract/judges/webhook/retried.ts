/** Whether a failed delivery is tried again. Spec §6. */

import { ownMs } from "../../promised-times.ts";
import { precisionMs } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { CaseKind, WebhookCase, WebhookRun } from "./case.ts";
import { casesOf, endedCases, endedJob, isSuccessStep, timesOf, watchedMs } from "./case.ts";

/** Ours: a retry that is not there after twice its wait and this is none. */
export const RETRY_GRACE_MS = 5_000;

const FAILING: readonly [CaseKind, string][] = [
  ["ladder", "an answer 500"],
  ["not-found", "an answer 404"],
  ["reset", "a reset connection"],
  ["silent", "no answer"],
  ["refused", "a refused connection"],
];

/** `doubtful`: it did not come, and may never have been sent at all. */
type Outcome = "seen" | "missed" | "doubtful" | "unknown";

export function judgeRetried(run: WebhookRun): Finding {
  const promise = "webhook.retried";
  const tried = FAILING.flatMap(([kind, what]) =>
    casesOf(run, kind)
      .filter((each) => each.deliveries.length > 0 || kind === "refused")
      .map((each) => ({ each, what, outcome: outcomeOf(run, each) })),
  );
  const of = (outcome: Outcome) => tried.filter((one) => one.outcome === outcome);
  const [seen, missed, doubtful] = [of("seen"), of("missed"), of("doubtful")];
  const evidence = { deliveries: tried.length, seen: kindsOf(seen), missed: kindsOf(missed) };
  if (missed.length > 0) {
    return broken(promise, `not tried again after ${kindsOf(missed).join(", ")}`, {
      evidence: { ...evidence, arrivedMs: missed.map(({ each }) => timesOf(each)) },
      exchanges: missed.map(({ each }) => each.submission),
    });
  }
  if (doubtful.length > 0) {
    return inconclusive(
      promise,
      "a refused delivery did not come again; " +
        "it may not have been sent either, or not reach that port",
      { evidence },
    );
  }
  if (seen.length > 0) {
    return kept(promise, `tried again after ${kindsOf(seen).join(", ")}`, { evidence });
  }
  if (tried.length === 0) return unobserved(promise, "no delivery could be made to fail");
  return inconclusive(promise, "the run ended before a retry was due", { evidence });
}

function kindsOf(some: readonly { what: string }[]): readonly string[] {
  return [...new Set(some.map(({ what }) => what))];
}

function outcomeOf(run: WebhookRun, each: WebhookCase): Outcome {
  return each.kind === "refused" ? afterRefusal(run, each) : retryOf(run, each);
}

/** Whether a retry that was due came; unknown when the watch ended too early to tell. */
export function retryOf(run: WebhookRun, each: WebhookCase): "seen" | "missed" | "unknown" {
  const attempts = each.deliveries.length;
  const wait = run.times.webhookWaits[attempts - 1];
  const isOver = isSuccessStep(each.deliveries.at(-1)?.answer) && attempts > 1;
  if (wait === undefined || isOver) return "seen";
  const unansweredMs = each.kind === "silent" ? run.times.webhookAnswerMs : 0;
  const dueMs = unansweredMs + 2 * wait.promisedMs + retryGraceMs(run);
  if (watchedMs(each) >= dueMs) return "missed";
  return attempts > 1 ? "seen" : "unknown";
}

export function retryGraceMs(run: WebhookRun): number {
  return ownMs(run.times, RETRY_GRACE_MS) + run.lagMs;
}

/** A refused attempt leaves no trace: that there was one has to be inferred. */
function afterRefusal(run: WebhookRun, each: WebhookCase): Outcome {
  if (each.endKnownAtMs === null) return "unknown";
  if (each.deliveries.length > 0) return cameLater(run, each) ? "seen" : "unknown";
  // The port may have opened after the first retry only; so the second one is waited for.
  const [first, second] = run.times.webhookWaits;
  const dueMs = 2 * (first.promisedMs + second.promisedMs) + retryGraceMs(run);
  if (each.watchedUntilMs - each.endKnownAtMs < dueMs) return "unknown";
  // A port may be forwarded to the service, and the one that refuses is another.
  return run.receiverReach === "sure" && isSendingKnown(run) ? "missed" : "doubtful";
}

/** Ours: fewer could all be lost by a service that loses some of its first deliveries. */
const REFUSED_MIN = 2;
const DELIVERED_MIN = 10;

/** Whether the service sends what it should, except to the address that refuses. */
function isSendingKnown(run: WebhookRun): boolean {
  const refused = casesOf(run, "refused").filter((each) => each.endKnownAtMs !== null);
  const others = endedCases(run);
  return (
    refused.length >= REFUSED_MIN &&
    refused.every((each) => each.deliveries.length === 0) &&
    others.length >= DELIVERED_MIN &&
    others.every((each) => each.deliveries.length > 0)
  );
}

/** Whether it came so much later after its job's end than the others that it is no first try. */
function cameLater(run: WebhookRun, each: WebhookCase): boolean {
  const own = lagAfterEnd(each);
  const others = endedCases(run).flatMap((other) => lagAfterEnd(other) ?? []);
  const usual = [...others].sort((a, b) => a.most - b.most)[Math.floor(others.length / 2)];
  if (own === null || usual === undefined) return false;
  return own.least - usual.most > run.times.webhookWaits[0].promisedMs / 2;
}

/**
 * From the end to the arrival, by two clocks whose difference is the same for all jobs; an end that
 * is told in whole seconds may have been later than told.
 */
function lagAfterEnd(each: WebhookCase): { least: number; most: number } | null {
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs;
  const finished = endedJob(each)?.finishedAt;
  if (arrivedAtMs === undefined || finished == null) return null;
  const most = arrivedAtMs - finished.ms;
  return { least: most - precisionMs(finished), most };
}
