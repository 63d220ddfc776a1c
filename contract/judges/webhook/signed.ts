/** webhook.signed: who signed a delivery, and when by the signature itself. Spec §5.5. */

import { type Delivery, isUnchecked } from "../../jobs/delivery.ts";
import type { Claim } from "../../judging/claim.ts";
import type { PlanKey } from "../../run/run-plan.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../webhook-schedule.ts";
import { bodyOf } from "./attempts.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { toldClaim } from "./told.ts";

/** Ours: in which all machines of a service know a secret that was changed. */
const CHANGE_MS = 10_000;

/** When deliveries of one key's jobs came that one of several secrets had signed. */
export interface SecretUse {
  count: number;
  firstMs: number;
  lastMs: number;
}

export function addUse(uses: Map<number, SecretUse>, secretIndex: number, atMs: number): void {
  const { count, firstMs, lastMs } = uses.get(secretIndex) ?? { ...NO_USE };
  const times = { firstMs: Math.min(firstMs, atMs), lastMs: Math.max(lastMs, atMs) };
  uses.set(secretIndex, { count: count + 1, ...times });
}

const NO_USE: SecretUse = { count: 0, firstMs: Infinity, lastMs: -Infinity };

/**
 * Secrets that are others' than the key's: who changes a secret does not return to the one before
 * it, and whoever signs with another account's does. The key's is the one that is used most.
 */
export function strangeSecrets(uses: ReadonlyMap<number, SecretUse>): readonly number[] {
  const [main, ...others] = [...uses].sort(([, a], [, b]) => b.count - a.count);
  if (main === undefined) return [];
  const returns = (one: SecretUse, other: SecretUse) =>
    one.firstMs < other.firstMs && one.lastMs > other.firstMs + CHANGE_MS;
  return others.flatMap(([secretIndex, use]) => {
    return returns(main[1], use) || returns(use, main[1]) ? [secretIndex] : [];
  });
}

/** Said of a delivery with one of them. */
export const STRANGE_SECRET = "it is signed with another secret than most of its key's";

/** What speaks against a delivery to a key's job; null: the secret may be the key's own. */
export function foreignSecret(
  keys: readonly PlanKey[],
  key: string | null,
  { secretEnvs }: Pick<Delivery, "secretEnvs">,
): string | null {
  const own = keys.find(({ name }) => name === key)?.webhookSecretEnv;
  if (own === undefined || secretEnvs === undefined || secretEnvs.includes(own)) return null;
  const signers = keys.filter(({ webhookSecretEnv: env }) => env && secretEnvs.includes(env));
  const names = signers.map(({ name }) => `"${name}"`).join(" and ");
  const whose =
    names === ""
      ? `in ${secretEnvs.join(" and ")}`
      : `of key${signers.length === 1 ? "" : "s"} ${names}`;
  return `it is signed with the secret ${whose}, promised that of key "${key}"`;
}

/** Receivers refuse a signature that is older, or so far ahead. Standard Webhooks, "Timestamp". */
const AGE_MS_MAX = 300_000;

export function signedClaim(run: WebhookTimeline): Claim {
  const { signatureScheme: scheme } = run;
  const all = run.attempts.filter(({ delivery }) => !isUnchecked(scheme, delivery));
  // Once one has it under the neutral name, that is the service's own.
  const isNamed = all.some(({ delivery }) => delivery.signature !== "absent");
  const told = all.filter(({ delivery }) => isNamed || delivery.unnamedSignature === undefined);
  const checked = told.every(({ delivery }) => delivery.signature === "valid");
  const foreign = new Map(
    told.map((one) => {
      const { key } = one.each.submission;
      return [one, foreignSecret(run.keys ?? [], key, one.delivery)] as const;
    }),
  );
  const strange = withStrangeSecrets(told.filter((one) => foreign.get(one) === null));
  const how = checked ? `valid by ${scheme}` : "not checked (no scheme is set)";
  return toldClaim({
    promise: "webhook.signed",
    told,
    lieOf: (one) => {
      const lie = signatureProblem(one) ?? foreign.get(one) ?? null;
      return lie ?? (strange.includes(one) ? STRANGE_SECRET : null);
    },
    agrees: `deliveries have a signature, ${how}`,
    without: withoutReason(all),
    evidence: { scheme, ...charsetEvidence(told) },
  });
}

/** Bytes of another charset than is sent, as a default of a platform's, spoil these alone. */
function charsetEvidence(told: readonly Attempt[]): Readonly<Record<string, string>> {
  const isBeyond = ({ delivery }: Attempt) => /[^\0-\x7f]/.test(delivery.body);
  const invalid = told.filter(isInvalid);
  const others = told.filter((one) => !isInvalid(one));
  if (invalid.length < 2 || !invalid.every(isBeyond)) return {};
  if (others.length < 2 || others.some(isBeyond)) return {};
  const who = `all ${invalid.length} invalid ones, none of the ${others.length} others`;
  return { "beyond ASCII": `${who}: the bytes signed may be in another charset than those sent` };
}

const isInvalid = ({ delivery }: Attempt): boolean => delivery.signature === "invalid";

/** A retry may carry the signature of the first attempt. All are of one key. */
function withStrangeSecrets(told: readonly Attempt[]): readonly Attempt[] {
  const uses = new Map<number, SecretUse>();
  const firsts = told.filter(({ number }) => number === 1);
  for (const { delivery } of firsts) {
    if (delivery.secretIndex !== undefined) {
      addUse(uses, delivery.secretIndex, delivery.arrivedAtMs);
    }
  }
  const strange = strangeSecrets(uses);
  return firsts.filter(({ delivery }) => strange.includes(delivery.secretIndex ?? -1));
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
