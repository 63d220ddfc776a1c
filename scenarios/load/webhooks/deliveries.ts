/** Holds each webhook of a load against its job, and against those that came before it. Spec §6. */

import type { Job } from "../../../contract/decode/job-types.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { Violations } from "../../../contract/judges/load/violations.ts";
import {
  addViolation,
  mergeViolations,
  noViolations,
} from "../../../contract/judges/load/violations.ts";
import { bodyOf, isTaken, namedJob } from "../../../contract/judges/webhook/attempts.ts";
import {
  bodyProblem,
  firedProblem,
  isReadable,
  missingResult,
} from "../../../contract/judges/webhook/body.ts";
import { resultLie } from "../../../contract/judges/webhook/result.ts";
import {
  addUse,
  foreignSecret,
  STRANGE_SECRET,
  strangeSecrets,
} from "../../../contract/judges/webhook/signed.ts";
import { changeFrom, lieOf } from "../../../contract/judges/webhook/truthful.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isBesideUs } from "../../../contract/requests/loopback.ts";
import type { PlanKey } from "../../../contract/run/run-plan.ts";
import { isTerminal } from "../../../contract/states.ts";
import { MACHINES_DIFFER_MS, precisionMs, utc } from "../../../contract/time/timestamps.ts";
import type { Entry } from "../followed/ledger.ts";
import { dropOldest, exchangesOf } from "../followed/ledger.ts";
import { wasServing } from "../serving.ts";
import type { Soak } from "../soak.ts";
import type { SecretsUsed, Taken, Tally } from "../tally.ts";

/** Ours: of so many webhooks it is remembered that they were taken; a repeated one comes soon. */
const TAKEN_MAX = 20_000;
/**
 * Ours: of so many the submission is quoted as well. In k6 each takes kilobytes: a long load that
 * kept them all held hundreds of megabytes, and was late whenever these were looked through.
 */
const QUOTABLE_MAX = 1_000;
/** Ours: a retry is no sooner than this share of the first wait. */
const RETRY_GAP_SHARE = 0.9;
/** Ours: of the wait, where the first attempt came late: what was sent at once comes at once. */
const LATE_RETRY_GAP_SHARE = 0.1;

/**
 * Who signed it, whether it comes again, and whether a retry tells what the attempt before it told.
 * `isOwn`: its signature is the service's.
 */
export function takeDelivery(
  soak: Pick<Soak, "tally" | "ledger" | "plan" | "retries">,
  delivery: Delivery,
  isOwn: boolean,
): void {
  const { tally, ledger, plan, retries } = soak;
  const { token, arrivedAtMs, signature, method } = delivery;
  const entry = ledger.open.get(token) ?? null;
  const before = tally.taken.get(token);
  const failed = retries.open.get(token) ?? null;
  if (entry === null && before === undefined && failed === null) return;
  const { deliveries } = tally;
  const note = (violations: Violations, what: string) => {
    const id = entry?.id ?? failed?.id ?? namedJob(delivery) ?? "a job";
    const closed = failed?.exchanges ?? quotedOf(tally, token);
    const exchanges = entry === null ? closed : exchangesOf(entry);
    addViolation(violations, { what: textOf(id, delivery, what), exchanges });
  };
  deliveries.judged += 1;
  const signer = entry === null ? (before ?? failed)?.signer : signerOf(entry.key);
  if (delivery.unnamedSignature !== undefined) deliveries.unnamed += 1;
  else if (signature === "absent") note(deliveries.unsigned, "its signature is absent");
  else if (signature === "valid") {
    const foreign = foreignSecret(plan.keys, entry?.key.name ?? null, delivery);
    if (foreign !== null) note(deliveries.unsigned, foreign);
    else proveSigner(tally, signer ?? null);
    if (entry !== null && foreign === null) takeSecret(tally, entry.key.name, delivery, note);
  } else if (signature === "invalid") {
    const isNamed = plan.keys.some(({ webhookSecretEnv }) => webhookSecretEnv !== undefined);
    const isSure = isNamed || new Set(plan.keys.map(signerOf)).size === 1;
    const into = isSure ? deliveries.unsigned : unfitting(tally, signer ?? null);
    note(into, "its signature is invalid");
  }
  if (!isOwn) return;
  if (method !== "POST") note(deliveries.byOther, "promised POST");
  if (failed !== null) {
    const change = changeFrom(bodyOf(failed.first), bodyOf(delivery));
    if (change !== null) note(deliveries.untruthful, change);
  } else if (before !== undefined && areOfTwoJobs(before.job, namedJob(delivery))) {
    note(deliveries.untruthful, `names ${namedJob(delivery)}, the one before it ${before.job}`);
  } else if (before !== undefined) {
    const gapMs = arrivedAtMs - before.arrivedAtMs;
    const waitMs = plan.times.webhookWaits[0].promisedMs;
    // The first may have been on its way for seconds, but not for nearly as long as a wait.
    const sinceSubmittedMs = arrivedAtMs - before.submittedAtMs;
    const isInTime =
      sinceSubmittedMs >= waitMs * RETRY_GAP_SHARE && gapMs >= waitMs * LATE_RETRY_GAP_SHARE;
    const isRetry = isInTime && mayBeMissed(soak, before);
    const what = `came again ${Math.round(gapMs)} ms after one that was answered 200`;
    note(isRetry ? deliveries.again : deliveries.repeated, what);
  } else if (entry !== null && !retries.over.has(token) && isTaken(delivery)) {
    const job = namedJob(delivery);
    const answeredAtMs = delivery.answeredAtMs ?? arrivedAtMs;
    const times = { arrivedAtMs, answeredAtMs, submittedAtMs: entry.sentAtMs };
    keep(tally.taken, TAKEN_MAX, token, { ...times, signer: signerOf(entry.key), job });
    if (entry.submission) keepQuotable(tally, token, entry.submission);
  }
  if (entry !== null) entry.told ??= delivery;
}

/** No network loses an answer to a sender on this machine; it misses one where it stands still. */
function mayBeMissed({ tally, plan }: Pick<Soak, "tally" | "plan">, taken: Taken) {
  const isLocal = isBesideUs(plan.baseUrl, plan.receiver);
  return !isLocal || !wasServing(tally.serving, taken, plan.times);
}

/** Of two deliveries at one address: where a submission started two jobs, neither is a repeat. */
export function areOfTwoJobs(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

/** Each account may have a secret of its own; how it is obtained is not shown. Spec §5.5. */
export function signerOf({ account, name }: Pick<PlanKey, "account" | "name">): string {
  return account ?? name;
}

type Signatures = Pick<Tally, "signers" | "deliveries">;

/** Once one of an account's signatures fits, its secret is known: those that did not are wrong. */
function proveSigner({ signers, deliveries }: Signatures, signer: string | null): void {
  const held = signer === null ? null : signers.get(signer);
  if (signer !== null) signers.set(signer, null);
  if (!held) return;
  deliveries.unnamed -= held.count;
  deliveries.unsigned = mergeViolations(deliveries.unsigned, held);
}

/**
 * Each key's jobs are signed with one secret. A retry may carry the signature of the first attempt.
 */
function takeSecret(
  { secrets, deliveries }: Pick<Tally, "secrets" | "deliveries">,
  key: string,
  { secretIndex, attempt, arrivedAtMs }: Delivery,
  note: (violations: Violations, what: string) => void,
): void {
  if (secretIndex === undefined || attempt !== 1) return;
  const known = secrets.get(key) ?? { uses: new Map(), held: new Map() };
  secrets.set(key, known);
  addUse(known.uses, secretIndex, arrivedAtMs);
  if (!isUsual(known, secretIndex)) {
    const held = known.held.get(secretIndex) ?? noViolations();
    known.held.set(secretIndex, held);
    note(held, STRANGE_SECRET);
  }
  for (const strange of strangeSecrets(known.uses)) {
    const found = known.held.get(strange) ?? noViolations();
    deliveries.unsigned = mergeViolations(deliveries.unsigned, found);
    known.held.delete(strange);
  }
}

/** What most have costs nothing to hold. */
function isUsual({ uses }: SecretsUsed, secretIndex: number): boolean {
  const count = uses.get(secretIndex)?.count ?? 0;
  return [...uses.values()].every((each) => each.count <= count);
}

/** Where a signature that does not fit counts: until one has fitted, the secret may be another. */
function unfitting({ signers, deliveries }: Signatures, signer: string | null): Violations {
  const held = signer === null ? undefined : signers.get(signer);
  if (held === null) return deliveries.unsigned;
  deliveries.unnamed += 1;
  const violations = held ?? noViolations();
  if (signer !== null) signers.set(signer, violations);
  return violations;
}

function keep<Value>(known: Map<string, Value>, most: number, token: string, value: Value): void {
  if (known.size >= most) dropOldest(known);
  known.set(token, value);
}

type Quotable = Pick<Tally, "quotable">;

export function keepQuotable({ quotable }: Quotable, token: string, submission: Exchange): void {
  keep(quotable, QUOTABLE_MAX, token, submission);
}

/** What is left to quote of a job that was closed. */
export function quotedOf({ quotable }: Quotable, token: string): readonly Exchange[] {
  const submission = quotable.get(token);
  return submission === undefined ? [] : [submission];
}

/** Once webhook and poll have both told of the end. */
export function holdAgainst({ tally }: Pick<Soak, "tally">, entry: Entry, job: Job): void {
  const { told } = entry;
  if (told === null || entry.isHeld) return;
  entry.isHeld = true;
  const { deliveries } = tally;
  const body = bodyOf(told);
  const exchanges = exchangesOf(entry);
  const note = (violations: Violations, what: string | null) => {
    if (what !== null) addViolation(violations, { what: textOf(entry.id, told, what), exchanges });
  };
  note(deliveries.untruthful, lieOf(entry.id, { delivery: told, body, job }));
  if (areOfTwoJobs(namedJob(told), entry.id)) return;
  note(deliveries.early, earlinessOf(entry, job));
  if (job.state !== "completed") return;
  note(deliveries.wrongResult, resultLie(body, job));
  if (!isReadable(told)) return;
  const problem = bodyProblem(body) ?? firedProblem(body, told, entry);
  note(deliveries.misshapen, problem ?? missingResult(body, job));
}

/**
 * Where the job was shown under way after its webhook, and had not ended then, by how long it says
 * that it took since it was submitted. No clock of the service's is held against ours, only two of
 * its own against each other; a view that lags behind shows what the job's own times refute.
 */
function earlinessOf(
  { toldAtMs, polls, sentAtMs }: Entry,
  { createdAt, finishedAt }: Job,
): string | null {
  if (toldAtMs === null || createdAt === null || finishedAt === null) return null;
  const shown = polls.find(({ exchange, job }) => {
    return exchange.sentAtMs >= toldAtMs && job?.state != null && !isTerminal(job.state);
  });
  const roomMs = precisionMs(createdAt) + precisionMs(finishedAt) + MACHINES_DIFFER_MS;
  const endedAtMs = sentAtMs + finishedAt.ms - createdAt.ms - roomMs;
  if (shown === undefined || endedAtMs <= toldAtMs) return null;
  const ended = `ended no sooner than ${Math.round(endedAtMs - toldAtMs)} ms after it was read`;
  return `the job was still ${shown.job?.statusText} at the next poll, and ${ended}`;
}

function textOf(id: string | null, { method, arrivedAtMs }: Delivery, what: string): string {
  return `${id}: ${method} at ${utc(arrivedAtMs)}: ${what}`;
}
