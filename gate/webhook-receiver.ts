/** Opens the suite's own webhook receiver for a run, or says why the service can't reach one. */

import type { ReceiverAccess } from "../contract/delivery.ts";
import type { Secrets, Target } from "../contract/target.ts";
import { isLocal, isLoopback, whyUnreachable } from "../receiver/reachability.ts";
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
  const missing = whyUnreachable(target);
  if (webhook === null || missing !== null) {
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
