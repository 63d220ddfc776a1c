/**
 * Whether the receiver's public address leads to it: once a minute the probe asks there for itself,
 * over a new connection each time, as one that is kept shows no certificate that has expired.
 */

import type { Validity } from "../../../contract/requests/certificate.ts";
import { USER_AGENT } from "../../../contract/requests/routes.ts";
import { codeOf, messageOf } from "../../../contract/text/thrown.ts";
import type { ClientOptions } from "../../../http/client.ts";
import { openPool } from "../../../http/client.ts";

/**
 * What a request of the probe's own came to; null where it says nothing of the address. `isSure`:
 * whether it fails wherever from; left out of answers. `validity`: of the certificate shown there.
 */
export type Asked = { why: string | null; isSure?: boolean; validity?: Validity } | null;

/** Ours: a path that takes longer is as good as broken; senders wait about as long. */
const TIMEOUT_MS = 10_000;
/** What a receiver answers to whoever only looks at the address of a delivery. */
const ONLY_POST = 405;
/** The resolver of this machine failed; that there is no such name is another answer. */
const UNRESOLVED = "EAI_AGAIN";
/** What nobody who checks certificates gets past, wherever from. */
const EXPIRED = "CERT_HAS_EXPIRED";

/** Looks at the address of a delivery without delivering anything. */
export async function askAddress(
  url: string,
  signal: AbortSignal,
  options: Pick<ClientOptions, "lookup"> = {},
): Promise<Asked> {
  const { origin, pathname, search } = new URL(url);
  const shown: Validity[] = [];
  const onCertificate = (validity: Validity) => void shown.push(validity);
  const pool = openPool(origin, { ...options, onCertificate });
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const headers = { "user-agent": USER_AGENT };
    const request = { path: pathname + search, headers, signal: within };
    const { statusCode, body } = await pool.request({ method: "GET", ...request });
    await body.dump();
    const why = statusCode === ONLY_POST ? null : `answered ${statusCode}`;
    const [validity] = shown;
    return validity === undefined ? { why } : { why, validity };
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === UNRESOLVED || signal.aborted) return null;
    // An attempt at several addresses has no message.
    return { why: messageOf(error) || code, isSure: code === EXPIRED };
  } finally {
    await pool.destroy();
  }
}

/** Ours: one may meet a proxy that restarts. */
const FAILED_MIN = 2;

/**
 * Many networks let nothing in by the address that outside has of them: that the probe's own
 * requests fail says something only where one came through before, or the reason is sure.
 */
export class OwnReach {
  #isSameWay: boolean | null;
  #isSeen = false;
  #failed = 0;

  constructor(isSameWay: boolean | null) {
    this.#isSameWay = isSameWay;
  }

  /** Whether own requests go the way of others; null: nobody knows yet. */
  get isSameWay(): boolean | null {
    return this.#isSameWay;
  }

  /** Whether the probe's own requests come through. */
  get isSeen(): boolean {
    return this.#isSeen;
  }

  /** Whether the address leads to the receiver no more. */
  get isLost(): boolean {
    return this.#failed >= FAILED_MIN;
  }

  take({ why, isSure = false }: NonNullable<Asked>): void {
    if (why === null) this.#isSameWay = true;
    const counts = why !== null && (this.#isSameWay ?? isSure);
    this.#failed = counts ? this.#failed + 1 : 0;
    this.#isSeen = why === null || (this.#isSeen && !this.isLost);
  }

  /** The service has delivered: where own requests fail, they don't say what becomes of others. */
  delivered(): void {
    if (this.isLost) this.#isSameWay = false;
    this.#failed = 0;
  }
}
