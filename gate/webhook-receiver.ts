/** Opens the suite's own webhook receiver for a run, or says why the service can't reach one. */

import type { ReceiverAccess } from "../contract/delivery.ts";
import type { Secrets, Target } from "../contract/target.ts";
import { startReceiver } from "../receiver/receiver.ts";

export interface OpenReceiver {
  access: ReceiverAccess | null;
  /** Why there is none, in a sentence. */
  missing: string | null;
  /** True where only a delivery can show that the service reaches it. */
  isRemote: boolean;
  /** Whether something came with that token so far. */
  hasDelivery(token: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Rejects with ReceiverError when an address can't be listened on. */
export async function openReceiver(target: Target, secrets: Secrets): Promise<OpenReceiver> {
  const { webhook } = target;
  if (webhook === null) {
    const missing = "the target file has no webhook section";
    return noReceiver(missing);
  }
  if (webhook.publicUrl === null && isLoopback(webhook.listen.host) && !isLocal(target)) {
    const missing = `the service can't reach ${webhook.listen.host}; expected webhook.publicUrl`;
    return noReceiver(missing);
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
  return {
    access: receiver.access,
    missing: null,
    isRemote: webhook.publicUrl !== null || !isLocal(target),
    hasDelivery: async (token) => (await receiver.deliveries(token)).length > 0,
    close: () => receiver.close(),
  };
}

function noReceiver(missing: string): OpenReceiver {
  return {
    access: null,
    missing,
    isRemote: false,
    hasDelivery: async () => false,
    close: async () => {},
  };
}

function isLocal({ baseUrl }: Target): boolean {
  return isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, ""));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}
