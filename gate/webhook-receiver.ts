/** Opens the suite's own webhook receiver for a run, or says why the service can't reach one. */

import type { ReceiverAccess } from "../contract/delivery.ts";
import type { Secrets, Target } from "../contract/target.ts";
import { startReceiver } from "../receiver/receiver.ts";

export interface OpenReceiver {
  access: ReceiverAccess | null;
  /** Why there is none, in a sentence. */
  missing: string | null;
  close(): Promise<void>;
}

const NOTHING_TO_CLOSE = async (): Promise<void> => {};

/** Rejects with ReceiverError when an address can't be listened on. */
export async function openReceiver(target: Target, secrets: Secrets): Promise<OpenReceiver> {
  const { webhook } = target;
  if (webhook === null) {
    const missing = "the target file has no webhook section";
    return { access: null, missing, close: NOTHING_TO_CLOSE };
  }
  if (webhook.publicUrl === null && isLoopback(webhook.listen.host) && !isLocal(target)) {
    const missing = `the service can't reach ${webhook.listen.host}; expected webhook.publicUrl`;
    return { access: null, missing, close: NOTHING_TO_CLOSE };
  }
  const { header, scheme, secretEnv } = webhook.signature;
  const receiver = await startReceiver({
    listen: webhook.listen,
    publicUrl: webhook.publicUrl,
    refusing: isLocal(target) && isLoopback(webhook.listen.host),
    signature: {
      header,
      scheme,
      secret: secretEnv === null ? null : (secrets.get(secretEnv) ?? null),
    },
  });
  return { access: receiver.access, missing: null, close: () => receiver.close() };
}

function isLocal({ baseUrl }: Target): boolean {
  return isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, ""));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
