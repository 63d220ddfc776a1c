/** Webhook deliveries as a receiver sees them, and the script by which it answers. */

/**
 * One step of a script, as it stands in a webhook's URL:
 * - `200`, `500`, `404`: that status at once;
 * - `200@9000`: that status after so many milliseconds;
 * - `500~4000`: that status at once, and its body only after so many milliseconds;
 * - `reset`: the connection is torn down after the request was read;
 * - `silent`: no answer ever.
 * Steps are joined by commas, one an attempt; the last one answers all further attempts.
 */
export type AnswerStep =
  | { kind: "status"; status: number; delayMs: number; bodyMs?: number | undefined }
  | { kind: "reset" }
  | { kind: "silent" };

/** Whether its sender has to wait for it, or for its body. */
export function isHeldBack(step: AnswerStep): boolean {
  if (step.kind !== "status") return step.kind === "silent";
  return step.delayMs > 0 || (step.bodyMs ?? 0) > 0;
}

/** Takes a delivery at once. */
export const ANSWER_OK = { kind: "status", status: 200, delayMs: 0 } as const satisfies AnswerStep;

export const SIGNATURE_STATES = ["valid", "invalid", "present", "absent"] as const;
/**
 * `present`: there is one, and no scheme or secret is configured to check it with, or its body was
 * not read to the end.
 */
export type SignatureState = (typeof SIGNATURE_STATES)[number];

/** How a delivery may be signed; Spec §5.5 leaves it open. `present`: only that it is. */
export const SIGNATURE_SCHEMES = [
  "present",
  "hmac-sha256",
  "hmac-sha256-base64",
  "hmac-sha256-timestamp",
  "standard-webhooks",
] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** What signatures are checked by: without a secret nothing but that there is one. */
export function checkedScheme({
  scheme,
  hasSecret,
}: {
  scheme: SignatureScheme;
  hasSecret: boolean;
}): SignatureScheme {
  return hasSecret ? scheme : "present";
}

/**
 * Whether a caller who checks signatures would take the delivery as the service's. Where nothing is
 * checked, each counts. Spec §5.5.
 */
export function isVouched(scheme: string, { signature }: Pick<Delivery, "signature">): boolean {
  return scheme === "present" || signature === "valid";
}

/**
 * Whether it has a signature that nobody could check, as its body was not read to the end: it may
 * be the service's or anybody's.
 */
export function isUnchecked(
  scheme: string,
  { signature, truncated }: Pick<Delivery, "signature" | "truncated">,
): boolean {
  return scheme !== "present" && signature === "present" && truncated;
}

/** Times are milliseconds since the epoch, with fractions, on the receiver's clock. */
export interface Delivery {
  token: string;
  /** Order of arrival among the token's deliveries, from 1. */
  attempt: number;
  /** When the request line arrived, stamped before anything else was done. */
  arrivedAtMs: number;
  method: string;
  contentType: string | null;
  /** Of the request, by lower-case name; without signatures, credentials and cookies. */
  headers: Readonly<Record<string, string>>;
  /** Text of the body, at most the receiver's cap; unpacked, where it came packed. */
  body: string;
  /** As it came. */
  bodyBytes: number;
  /** The body is longer than the cap, broke off, or came packed and can't be unpacked. */
  truncated: boolean;
  signature: SignatureState;
  /** Which of several secrets made it, from 0. Left out: one is configured, or none of them did. */
  secretIndex?: number | undefined;
  /** Variables that hold the secret that made it. Left out: none did, or there is one variable. */
  secretEnvs?: readonly string[] | undefined;
  /**
   * Of one without a signature under the neutral name that the specification writes: another header
   * that may be it. Left out: there is none.
   */
  unnamedSignature?: string | undefined;
  /** When it was signed, by the signature itself; null where the scheme does not tell. */
  signedAtMs: number | null;
  answer: AnswerStep;
  /** When the answer was written or the connection reset; null while neither was done. */
  answeredAtMs: number | null;
  /** When the sender hung up before the answer was complete; null when it did not. */
  hungUpAtMs: number | null;
  /** On the connection that brought it, which may be a proxy's. */
  requestsBefore: number;
  /** How long that connection had been open when it arrived, in ms; left out after the first. */
  openedForMs?: number | undefined;
}

/** What a signature tells of who made it. */
export type Signed = Pick<Delivery, "signature" | "secretIndex" | "secretEnvs">;

/** Answer of the query interface to `GET` and `POST /deliveries`. */
export interface DeliveriesAnswer {
  /** By token, each token's in the order of arrival. */
  deliveries: Delivery[];
  /** The receiver's clock, in the same count as the times of a delivery. */
  now: number;
}

/** Answer to `GET /arrivals`: what came from any sender since the reader last asked. */
export interface ArrivalsAnswer {
  deliveries: Delivery[];
  /** What to give as `after` the next time. */
  next: number;
  /** Deliveries that the memory bound evicted since the start, read or not. */
  evicted: number;
  now: number;
}

/**
 * Whether the service reaches the receiver. `sure`: the suite started it beside the receiver, so
 * that it reaches each port of it; `seen`: a delivery came; `missed`: one was due and did not come;
 * `unknown`: nothing has shown it yet.
 */
export type ReceiverReach = "sure" | "seen" | "missed" | "unknown";

/** Where a sink and those who ask it read the secret of its queries. */
export const QUERY_SECRET_VARIABLE = "PLUMBLINE_SINK_SECRET";

export interface SignatureAccess {
  header: string;
  scheme: string;
  /** Variables that hold the secrets, where there are several: each key names one of them. */
  secretEnvs?: readonly string[] | undefined;
}

/** Where a scenario gets its webhook URLs and what arrived at them. */
export interface ReceiverAccess {
  /** Base of webhook URLs, as the service reaches it: `deliveryUrl` and others. */
  publicUrl: string;
  /** Base of the query interface: `GET <queryUrl>/deliveries?token=…&after=N&waitMs=…`. */
  queryUrl: string;
  /** Environment variable of the secret that every query carries as a bearer token. */
  querySecretEnv: string;
  /**
   * Base of webhook URLs on a port that refuses connections until it is opened; local targets
   * only.
   */
  refusingUrl: string | null;
  /** Every token begins so; a delivery with another is turned away unread. Empty: none is. */
  tokenPrefix: string;
  /** `scheme`: what is checked, so `present` where there is no secret to check it with. */
  signature: SignatureAccess;
}

export function deliveryUrl(base: string, token: string, script: readonly AnswerStep[]): string {
  return `${base}/d/${token}/${scriptText(script)}`;
}

function scriptText(script: readonly AnswerStep[]): string {
  return script.map(formatStep).join(",");
}

/**
 * The same with token and script in the query, which belongs to the URL as its path does: whoever
 * leaves it away posts to an address that nobody gave. RFC 3986 §3.4.
 */
export function queryDeliveryUrl(
  base: string,
  token: string,
  script: readonly AnswerStep[],
): string {
  return `${base}/d?to=${encodeURIComponent(`${token}/${scriptText(script)}`)}`;
}

/** Ours: with it an address has over 255 characters, which columns of a database often have. */
const LONG_NOTE = `${"a-long-address-as-callers-have-them-".repeat(5)}/&to=elsewhere&`;

/**
 * A long one, whose first field has escapes of reserved characters: whoever decodes these posts to
 * another address, as does who cuts it. RFC 3986 §2.2, §6.2.2.2.
 */
export function longDeliveryUrl(
  base: string,
  token: string,
  script: readonly AnswerStep[],
): string {
  const [path = "", query = ""] = queryDeliveryUrl(base, token, script).split("?");
  return `${path}?note=${encodeURIComponent(LONG_NOTE)}&${query}`;
}

/** A step as it stands in a script. */
export function formatStep(step: AnswerStep): string {
  if (step.kind !== "status") return step.kind;
  const delay = step.delayMs === 0 ? "" : `@${Math.round(step.delayMs)}`;
  const body = step.bodyMs === undefined ? "" : `~${Math.round(step.bodyMs)}`;
  return `${step.status}${delay}${body}`;
}

/** The steps of a script; null when a step is none of these kinds. */
export function parseScript(text: string): AnswerStep[] | null {
  const steps = text.split(",").map(parseStep);
  return steps.every((step) => step !== null) ? steps : null;
}

function parseStep(text: string): AnswerStep | null {
  if (text === "reset" || text === "silent") return { kind: text };
  // No 1xx: such an answer is never the last one, so its sender would go on waiting.
  const match = /^([2-5]\d\d)(?:@(\d{1,7}))?(?:~(\d{1,7}))?$/.exec(text);
  if (match === null) return null;
  const step = { status: Number(match[1]), delayMs: Number(match[2] ?? 0) };
  const body = match[3] === undefined ? {} : { bodyMs: Number(match[3]) };
  return { kind: "status", ...step, ...body };
}
