/** Checks the signature of a delivery on its raw body, in constant time. Spec §5.5. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";

import type { SignatureScheme, SignatureState } from "../contract/delivery.ts";
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
    return joined === undefined ? null : joined.slice(0, HEADER_CHARS_MAX);
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

/** The head of a request as a report may show it. */
export function shownHeaders(headers: IncomingHttpHeaders, signature: string) {
  const isShown = (name: string) => name !== signature.toLowerCase() && !SECRET_HEADER.test(name);
  const shown = Object.entries(headers).filter(([name]) => isShown(name));
  const cut = ([name, value]: [string, unknown]) =>
    [name, String(value ?? "").slice(0, SHOWN_CHARS_MAX)] as const;
  return Object.fromEntries(shown.slice(0, SHOWN_HEADERS_MAX).map(cut));
}

/** When a signature says that it was made: its own `t`, or the companion of Standard Webhooks. */
export function signedAtMs({ signature, timestamp }: SignedHeaders): number | null {
  const seconds = timestamped(signature ?? "").timestamp ?? timestamp;
  return seconds === null || !/^\d{1,12}$/.test(seconds) ? null : Number(seconds) * 1_000;
}

/** Whether a signature is that of the body. The age of a timestamp is no part of it. */
type Check = (body: Buffer, headers: SignedHeaders, signature: string) => boolean;

export type SignatureChecker = (
  body: Buffer,
  headers: SignedHeaders,
  whole: boolean,
) => SignatureState;

/** Of a body that was not kept whole only the presence of a signature can be told. */
export function createSignatureChecker({ scheme, secret }: SignatureOptions): SignatureChecker {
  const check = secret === null || secret === "" ? null : createCheck(scheme, secret);
  return (body, headers, whole) => {
    const { signature } = headers;
    if (signature === null || signature.trim() === "") return "absent";
    if (check === null || !whole) return "present";
    return check(body, headers, signature.trim()) ? "valid" : "invalid";
  };
}

function createCheck(scheme: SignatureScheme, secret: string): Check | null {
  const hmac = (...parts: readonly (string | Buffer)[]) => {
    const hash = createHmac("sha256", secret);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  switch (scheme) {
    case "present":
      return null;
    case "hmac-sha256":
      return (body, _headers, signature) => isHex(signature.replace(/^sha256=/i, ""), hmac(body));
    case "hmac-sha256-base64":
      return (body, _headers, signature) =>
        isText(signature.replace(/^sha256=/i, ""), hmac(body).toString("base64"));
    case "hmac-sha256-timestamp":
      return (body, _headers, signature) => {
        const { timestamp, candidates } = timestamped(signature);
        if (timestamp === null) return false;
        const expected = hmac(`${timestamp}.`, body);
        return candidates.some((candidate) => isHex(candidate, expected));
      };
    case "standard-webhooks":
      return standardCheck(secret);
  }
}

/** `t=…,v1=…`, where a key that is being changed leaves a `v1` of the old and of the new one. */
function timestamped(signature: string): { timestamp: string | null; candidates: string[] } {
  const fields = signature.split(",").map((field) => field.trim());
  const values = (name: string) =>
    fields.filter((field) => field.startsWith(`${name}=`)).map((f) => f.slice(name.length + 1));
  return { timestamp: values("t")[0] ?? null, candidates: values("v1") };
}

/**
 * By the library's `sign`, not its `verify`: that one refuses timestamps more than five minutes
 * from this machine's clock, so that a clock that is off would speak against the service.
 */
function standardCheck(secret: string): Check {
  const webhooks = standardKeys(secret);
  return (body, { id, timestamp }, signature) => {
    if (id === null || timestamp === null || !/^\d{1,12}$/.test(timestamp)) return false;
    const at = new Date(Number(timestamp) * 1000);
    const candidates = signature.split(/\s+/);
    return webhooks.some((webhook) => {
      const expected = webhook.sign(id, at, body);
      return candidates.some((candidate) => isText(candidate, expected));
    });
  };
}

/** Without the prefix a secret may be meant as it stands or as base64: either proves the signer. */
function standardKeys(secret: string): Webhook[] {
  const raw = () => new Webhook(Buffer.from(secret), { format: "raw" });
  if (!secret.startsWith(STANDARD_KEY_PREFIX)) {
    return isBase64(secret) ? [raw(), new Webhook(secret)] : [raw()];
  }
  if (isBase64(secret.slice(STANDARD_KEY_PREFIX.length))) return [new Webhook(secret)];
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
