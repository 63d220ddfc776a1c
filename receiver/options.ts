/** Options of the webhook receiver with their defaults and limits. */

import { randomBytes } from "node:crypto";
import type { SignatureScheme } from "../contract/jobs/delivery.ts";
import type { WebhookTarget } from "../contract/target.ts";
import { type Secrets, secretsWithin } from "../contract/text/secret.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../contract/webhook-schedule.ts";

export interface ListenAddress {
  host: string;
  /** 0: any free port. */
  port: number;
}

export interface SignatureOptions {
  header: string;
  scheme: SignatureScheme;
  /** null: signatures can't be checked, whatever the scheme. Spaces stand between several. */
  secret: string | null;
  /** The variables that hold each secret, by its index. Left out: all are of one variable. */
  secretEnvs?: readonly (readonly string[])[] | undefined;
}

/** As a target states it, with the secrets that the environment holds under the stated names. */
export function withSecrets(
  { header, scheme, secretEnvs }: WebhookTarget["signature"],
  secrets: Secrets,
): SignatureOptions {
  const [first = "", ...further] = secretEnvs;
  if (further.length === 0) {
    return { header, scheme, secret: secrets.get(first)?.reveal() ?? null };
  }
  const holders = new Map<string, string[]>();
  for (const name of secretEnvs) {
    for (const each of secretsWithin(secrets.get(name)?.reveal() ?? "")) {
      if (each !== "") holders.set(each, [...(holders.get(each) ?? []), name]);
    }
  }
  const secret = [...holders.keys()].join(" ");
  return { header, scheme, secret, secretEnvs: [...holders.values()] };
}

export interface ReceiverOptions {
  /** Where the service's deliveries arrive; the only address that needs to be public. */
  listen: ListenAddress;
  /** How the service reaches that address, perhaps through a proxy; null: directly. */
  publicUrl: string | null;
  /** Where the suite reads what arrived; must not be reachable from outside. */
  query: ListenAddress;
  /** Asked for with every query; a random one unless told otherwise. */
  querySecret: string;
  /** Keeps a second port closed for refused connections; of use to services on this machine. */
  refusing: boolean;
  signature: SignatureOptions;
  /** Deliveries whose token begins otherwise are turned away unread; null: none are. */
  tokenPrefix: string | null;
  /** Of a longer body only so much is kept. */
  bodyCapBytes: number;
  /** Kept deliveries together; beyond it the oldest goes first. */
  memoryCapBytes: number;
  /** Tokens whose attempts are counted; beyond it the oldest goes first. */
  tokensMax: number;
  /** Of each address. Beyond it an idle connection is closed, or else the oldest one. */
  connectionsMax: number;
  /** A request has this long to send its header, and that long to be complete. */
  headerTimeoutMs: number;
  requestTimeoutMs: number;
  /** Whether the machine is late is looked at so often. */
  beatMs: number;
  /** Of the machine as well, by its main thread and its load; else of the receiver's thread. */
  watchesMachine: boolean;
}

export type GivenReceiverOptions = Partial<Omit<ReceiverOptions, "signature">> & {
  signature?: Partial<SignatureOptions>;
};

/** Ours: Spec §6 names no limit; the job objects seen so far take some kilobytes. */
const BODY_CAP_BYTES = 256 * 1024;
/** Ours: some 20,000 deliveries of usual size, small beside everything else in a run. */
const MEMORY_CAP_BYTES = 64 * 1024 * 1024;
/** Ours: ten minutes of retries at 150 jobs a second, in at most 30 MB. */
const TOKENS_MAX = 100_000;
/** Ours: 200 answers of 9 s a second still fit; a descriptor each. */
const CONNECTIONS_MAX = 2_000;
/** Ours: a sender that Spec §6 gives 10 s in all needs less; a slow-loris gets no more. */
const HEADER_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;

/** Ours: finer than any lag that a verdict would be withdrawn for; of a gate, which ends. */
const BEAT_MS = 10;

/** Ours: 32 bytes of the system's own chance can't be guessed. */
const SECRET_BYTES = 32;
/** Ours: a shorter secret can be tried out; others than these characters fit in no header. */
const QUERY_SECRET = /^[\x21-\x7e]{16,256}$/;
export const QUERY_SECRET_FORM = "16 to 256 visible ASCII characters without a space";

/** A token; no header has another name. RFC 9110 §5.1, §5.6.2. */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
export const HEADER_NAME_FORM = `the name of a header, such as ${WEBHOOK_SIGNATURE_HEADER}`;

/** Whether a secret can be asked for with queries. */
export function isQuerySecret(text: string): boolean {
  return QUERY_SECRET.test(text);
}

export function fillOptions(given: GivenReceiverOptions): ReceiverOptions {
  const options: ReceiverOptions = {
    listen: given.listen ?? { host: "127.0.0.1", port: 0 },
    publicUrl: given.publicUrl?.replace(/\/+$/, "") ?? null,
    query: given.query ?? { host: "127.0.0.1", port: 0 },
    querySecret: given.querySecret ?? randomBytes(SECRET_BYTES).toString("base64url"),
    refusing: given.refusing ?? false,
    signature: {
      header: given.signature?.header ?? WEBHOOK_SIGNATURE_HEADER,
      scheme: given.signature?.scheme ?? "present",
      secret: given.signature?.secret ?? null,
      secretEnvs: given.signature?.secretEnvs,
    },
    tokenPrefix: given.tokenPrefix ?? null,
    bodyCapBytes: given.bodyCapBytes ?? BODY_CAP_BYTES,
    memoryCapBytes: given.memoryCapBytes ?? MEMORY_CAP_BYTES,
    tokensMax: given.tokensMax ?? TOKENS_MAX,
    connectionsMax: given.connectionsMax ?? CONNECTIONS_MAX,
    headerTimeoutMs: given.headerTimeoutMs ?? HEADER_TIMEOUT_MS,
    requestTimeoutMs: given.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    beatMs: given.beatMs ?? BEAT_MS,
    watchesMachine: given.watchesMachine ?? true,
  };
  checkOptions(options);
  return options;
}

function checkOptions(options: ReceiverOptions): void {
  const { publicUrl, bodyCapBytes, memoryCapBytes, tokensMax, connectionsMax } = options;
  if (publicUrl !== null && !isPublicUrl(publicUrl)) {
    throw new RangeError(`publicUrl "${publicUrl}": expected an http or https URL without a query`);
  }
  if (!isQuerySecret(options.querySecret)) {
    throw new RangeError(`querySecret: invalid value; expected ${QUERY_SECRET_FORM}`);
  }
  for (const [name, value] of Object.entries({ bodyCapBytes, tokensMax, connectionsMax })) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new RangeError(`${name} ${value}: expected a whole number of at least 1`);
  }
  if (!(memoryCapBytes >= 4 * bodyCapBytes)) {
    const least = `at least four times bodyCapBytes, ${4 * bodyCapBytes}`;
    throw new RangeError(`memoryCapBytes ${memoryCapBytes}: expected ${least}`);
  }
}

/** To which a token can be appended. */
export function isPublicUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
}
