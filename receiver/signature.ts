/** Checks the signature of a delivery on its raw body, in constant time. Spec §5.5. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import type { Delivery, SignatureScheme, Signed } from "../contract/jobs/delivery.ts";
import { secretsWithin } from "../contract/text/secret.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../contract/webhook-schedule.ts";
import { beginningOf } from "./kept-text.ts";
import type { SignatureOptions } from "./options.ts";

/** What of a request's headers a signature is checked with. */
export interface SignedHeaders {
  signature: string | null;
  /** Companions of Standard Webhooks. */
  id: string | null;
  timestamp: string | null;
}

/** Ours: several keys' signatures fit; a longer text would be kept for nothing. */
const HEADER_CHARS_MAX = 2_048;
/** Marks a key that is written in base64. Standard Webhooks, "Signature scheme". */
const STANDARD_KEY_PREFIX = "whsec_";

export function signedHeaders(headers: IncomingHttpHeaders, name: string): SignedHeaders {
  const text = (header: string) => {
    const value = headers[header];
    const joined = Array.isArray(value) ? value.join(", ") : value;
    return joined === undefined ? null : beginningOf(joined, HEADER_CHARS_MAX);
  };
  return {
    signature: text(name.toLowerCase()),
    id: text("webhook-id"),
    timestamp: text("webhook-timestamp"),
  };
}

/** Ours: of a request no more is shown to a reader, who wants to know it again. */
const SHOWN_HEADERS_MAX = 24;
const SHOWN_CHARS_MAX = 200;
/** What may be worth something to others: it is shown nowhere. */
const SECRET_HEADER = /authorization|cookie|signature|secret|token|api-?key|password/i;

/** Of a header as much as a report may show. */
export function shownText(value: string): string {
  return beginningOf(value, SHOWN_CHARS_MAX);
}

/** The head of a request as a report may show it. */
export function shownHeaders(headers: IncomingHttpHeaders, signature: string) {
  const shown: Record<string, string> = {};
  const own = signature.toLowerCase();
  let left = SHOWN_HEADERS_MAX;
  for (const name in headers) {
    if (name === own || SECRET_HEADER.test(name)) continue;
    if (left === 0) break;
    left -= 1;
    shown[name] = shownText(String(headers[name] ?? ""));
  }
  return shown;
}

/** What a service calls the header of its signatures, in whatever words of its own. */
const LIKE_A_SIGNATURE = /signature|hmac/;
const NAME_CHARS_MAX = 100;

/**
 * Another header that may be the signature's, where none has the name that is looked for, and that
 * is the one of the specification, which no service has: there it stands for the service's own.
 */
export function unnamedSignature(
  headers: IncomingHttpHeaders,
  name: string,
): Pick<Delivery, "unnamedSignature"> {
  const sought = name.toLowerCase();
  if (sought !== WEBHOOK_SIGNATURE_HEADER.toLowerCase() || headers[sought]?.length) return {};
  const found = Object.keys(headers).find((each) => each !== sought && LIKE_A_SIGNATURE.test(each));
  return found === undefined ? {} : { unnamedSignature: beginningOf(found, NAME_CHARS_MAX) };
}

/** When a signature says that it was made: its own `t`, or the companion of Standard Webhooks. */
export function signedAtMs({ signature, timestamp }: SignedHeaders): number | null {
  const seconds = timestamped(signature ?? "").timestamp ?? timestamp;
  return seconds === null || !/^\d{1,12}$/.test(seconds) ? null : Number(seconds) * 1_000;
}

/** Takes a body in pieces, as it comes, so that none need be kept to be checked. */
export interface BodyCheck {
  take(piece: Buffer): void;
  /** Of a body that was not taken whole only the presence of a signature can be told. */
  end(isWhole: boolean): Signed;
}

export type SignatureChecker = (headers: SignedHeaders) => BodyCheck;

/** Throws RangeError where the scheme's secret is malformed. */
export function createSignatureChecker(options: SignatureOptions): SignatureChecker {
  const { scheme, secret, secretEnvs } = options;
  const isChecked = scheme !== "present" && secret !== null && secret !== "";
  const signingOf = isChecked ? createSigning(scheme, secret) : null;
  return (headers) => {
    const signature = headers.signature?.trim() ?? "";
    if (signature === "") return { take() {}, end: () => ({ signature: "absent" }) };
    if (signingOf === null) return { take() {}, end: () => ({ signature: "present" }) };
    const signing = signingOf(signature, headers);
    const hashes = (signing?.keys ?? []).map(({ key, ...of }) => {
      return { ...of, hash: createHmac("sha256", key).update(signing?.before ?? "") };
    });
    return {
      take(piece) {
        for (const { hash } of hashes) hash.update(piece);
      },
      end(isWhole) {
        if (!isWhole) return { signature: "present" };
        const fitting = hashes.filter(({ hash }) => signing?.fits(hash.digest()) === true);
        const [found] = fitting;
        if (found === undefined) return { signature: "invalid" };
        const { hash: _, ...of } = found;
        if (secretEnvs === undefined) return { signature: "valid", ...of };
        const holders = fitting.flatMap(({ secretIndex }) => secretEnvs[secretIndex ?? 0] ?? []);
        return { signature: "valid", ...of, secretEnvs: [...new Set(holders)] };
      },
    };
  };
}

interface SigningKey extends Pick<Signed, "secretIndex"> {
  key: string | Buffer;
}

/** What a signature is held against. The age of a timestamp is no part of it. */
interface Signing {
  /** Any of them proves the signer. */
  keys: readonly SigningKey[];
  /** Signed before the body. */
  before: string;
  fits: (digest: Buffer) => boolean;
}

/** Null where no body can fit what the headers say. */
type SigningOf = (signature: string, headers: SignedHeaders) => Signing | null;

function createSigning(scheme: Exclude<SignatureScheme, "present">, secret: string): SigningOf {
  const secrets = secretsWithin(secret);
  const keysOf = (keysIn: (each: string) => readonly (string | Buffer)[]) =>
    secrets.flatMap((each, secretIndex) => {
      return keysIn(each).map((key) => (secrets.length === 1 ? { key } : { key, secretIndex }));
    });
  // Spaces may be a secret's own.
  const whole = secrets.length === 1 ? [] : [{ key: secret }];
  const own = { keys: [...whole, ...keysOf((each) => [each])], before: "" };
  switch (scheme) {
    case "hmac-sha256":
      return (signature) => ({
        ...own,
        fits: (digest) => unnamed(signature).some((each) => isHex(each, digest)),
      });
    case "hmac-sha256-base64":
      return (signature) => ({
        ...own,
        fits: (digest) =>
          unnamed(signature).some((each) => isText(urlSafe(each), digest.toString("base64url"))),
      });
    case "hmac-sha256-timestamp":
      return (signature) => {
        const { timestamp, candidates } = timestamped(signature);
        if (timestamp === null) return null;
        const fits = (digest: Buffer) => candidates.some((candidate) => isHex(candidate, digest));
        return { ...own, before: `${timestamp}.`, fits };
      };
    case "standard-webhooks": {
      const keys = keysOf(standardKeys);
      return (signature, { id, timestamp }) => {
        if (id === null || timestamp === null || !/^\d{1,12}$/.test(timestamp)) return null;
        const candidates = signature.split(/\s+/);
        const isOne = (expected: string) => candidates.some((each) => isText(each, expected));
        const fits = (digest: Buffer) => isOne(`v1,${digest.toString("base64")}`);
        return { keys, before: `${id}.${timestamp}.`, fits };
      };
    }
  }
}

/**
 * Without the name of the hash or of a version before it; a key that is being changed leaves a
 * signature of the old and of the new one.
 */
function unnamed(signature: string): readonly string[] {
  return signature.split(",").map((each) => each.trim().replace(/^(sha256|v\d+)=/i, ""));
}

/** Of either alphabet of base64, padded or not. RFC 4648 §4, §5. */
function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** `t=…,v1=…`, where a key that is being changed leaves a `v1` of the old and of the new one. */
function timestamped(signature: string): { timestamp: string | null; candidates: string[] } {
  const fields = signature.split(",").map((field) => field.trim());
  const values = (name: string) =>
    fields.filter((field) => field.startsWith(`${name}=`)).map((f) => f.slice(name.length + 1));
  return { timestamp: values("t")[0] ?? null, candidates: values("v1") };
}

/** Without the prefix a secret may be meant as it stands or as base64: either proves the signer. */
function standardKeys(secret: string): Buffer[] {
  const decoded = (text: string) => Buffer.from(text, "base64");
  if (!secret.startsWith(STANDARD_KEY_PREFIX)) {
    return isBase64(secret) ? [Buffer.from(secret), decoded(secret)] : [Buffer.from(secret)];
  }
  const key = secret.slice(STANDARD_KEY_PREFIX.length);
  if (isBase64(key)) return [decoded(key)];
  throw new RangeError(`signature secret: not base64 after "${STANDARD_KEY_PREFIX}"; expected so`);
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
}

function isHex(text: string, expected: Buffer): boolean {
  return isText(text.toLowerCase(), expected.toString("hex"));
}

/** Constant-time over texts of the expected length; the length itself is no secret. */
function isText(text: string, expected: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
