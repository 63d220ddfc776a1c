/** Holds each webhook of a load against its job, and against those that came before it. Spec §6. */

import type { Job } from "../../contract/decode/job-types.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { Violations } from "../../contract/judges/load/violations.ts";
import { addViolation } from "../../contract/judges/load/violations.ts";
import { bodyOf, isTaken, namedJob } from "../../contract/judges/webhook/attempts.ts";
import { resultLie } from "../../contract/judges/webhook/result.ts";
import { lieOf } from "../../contract/judges/webhook/truthful.ts";
import { utc } from "../../contract/timestamps.ts";
import { asQuoted } from "../../contract/verdict.ts";
import type { Entry } from "./ledger.ts";
import { dropOldest, exchangesOf } from "./ledger.ts";
import type { Soak } from "./soak.ts";

/** Ours: of so many webhooks it is remembered that they were taken; a repeated one comes soon. */
const TAKEN_MAX = 20_000;
/** Ours: a retry is no sooner than this share of the first wait. */
const RETRY_GAP_SHARE = 0.9;

/** Who signed it, and whether it comes again. `isOwn`: its signature is the service's. */
export function takeDelivery(soak: Soak, delivery: Delivery, isOwn: boolean): void {
  const { tally, ledger, plan } = soak;
  const { token, arrivedAtMs, signature } = delivery;
  const entry = ledger.open.get(token) ?? null;
  const before = tally.taken.get(token);
  if (entry === null && before === undefined) return;
  const { deliveries } = tally;
  const id = entry?.id ?? before?.id ?? namedJob(delivery) ?? "a job";
  const note = (violations: Violations, what: string) => {
    const exchanges = entry === null ? (before?.exchanges ?? []) : exchangesOf(entry);
    addViolation(violations, { what: textOf(id, delivery, what), exchanges });
  };
  deliveries.judged += 1;
  if (signature === "absent" || signature === "invalid") {
    note(deliveries.unsigned, `its signature is ${signature}`);
  }
  if (!isOwn) return;
  if (before !== undefined) {
    const gapMs = arrivedAtMs - before.atMs;
    const isRetry = gapMs >= plan.times.webhookWaits[0].promisedMs * RETRY_GAP_SHARE;
    const what = `came again ${Math.round(gapMs)} ms after one that was answered 200`;
    note(isRetry ? deliveries.again : deliveries.repeated, what);
  } else if (isTaken(delivery)) {
    if (tally.taken.size >= TAKEN_MAX) dropOldest(tally.taken);
    const exchanges = entry?.submission ? [asQuoted(entry.submission)] : [];
    tally.taken.set(token, { id, atMs: arrivedAtMs, exchanges });
  }
  if (entry !== null) entry.told ??= delivery;
}

/** Once webhook and poll have both told of the end. */
export function holdAgainst(soak: Soak, entry: Entry, job: Job): void {
  const { told } = entry;
  if (told === null || entry.isHeld) return;
  entry.isHeld = true;
  const { deliveries } = soak.tally;
  const body = bodyOf(told);
  const exchanges = exchangesOf(entry);
  const lie = lieOf(entry.id, { delivery: told, body, job });
  if (lie !== null) {
    addViolation(deliveries.untruthful, { what: textOf(entry.id, told, lie), exchanges });
  }
  const wrong = job.state === "completed" ? resultLie(body, job) : null;
  if (wrong === null) return;
  addViolation(deliveries.wrongResult, { what: textOf(entry.id, told, wrong), exchanges });
}

function textOf(id: string | null, { method, arrivedAtMs }: Delivery, what: string): string {
  return `${id}: ${method} at ${utc(arrivedAtMs)}: ${what}`;
}
