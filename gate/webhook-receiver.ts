/** Opens the suite's own webhook receiver for a run, or says why the service can't reach one. */

import { randomBytes } from "node:crypto";
import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { isVouched } from "../contract/jobs/delivery.ts";
import { isLoopbackHost } from "../contract/requests/loopback.ts";
import type { Target } from "../contract/target.ts";
import { Secret, type Secrets } from "../contract/text/secret.ts";
import { withSecrets } from "../receiver/options.ts";
import { isLocal, whyUnreachable } from "../receiver/reachability.ts";
import { startReceiver } from "../receiver/receiver.ts";

export interface OpenReceiver {
  access: ReceiverAccess | null;
  /** What k6 needs in its environment, beside the keys, to ask it. */
  secrets: Secrets;
  /** Why there is none, in a sentence. */
  missing: string | null;
  /** False where only a delivery can show that the service reaches it. */
  isSurelyReached: boolean;
  /** Whether something came with that token so far. */
  hasDelivery(token: string): Promise<boolean>;
  /** Whether one of them is surely the service's: anybody may send one without a signature. */
  hasVouchedDelivery(token: string): Promise<boolean>;
  /** Requests so far that were no delivery of this run, by their path or method. */
  turnedAway(): Promise<number>;
  close(): Promise<void>;
}

/** Ours: 16 bytes of the system's own chance can't be guessed. */
const PREFIX_BYTES = 16;

/** Rejects with ReceiverError when an address can't be listened on. */
export async function openReceiver(target: Target, secrets: Secrets): Promise<OpenReceiver> {
  const { webhook } = target;
  const missing = whyUnreachable(target);
  if (webhook === null || missing !== null) {
    return noReceiver(missing);
  }
  const receiver = await startReceiver({
    listen: webhook.listen,
    publicUrl: webhook.publicUrl,
    // Of this run alone, so that no stranger's posts push out what the service has sent.
    tokenPrefix: `${randomBytes(PREFIX_BYTES).toString("base64url")}-`,
    refusing: webhook.publicUrl === null && isLocal(target) && isLoopbackHost(webhook.listen.host),
    signature: withSecrets(webhook.signature, secrets),
  });
  return {
    access: receiver.access,
    secrets: new Map([[receiver.access.querySecretEnv, new Secret(receiver.querySecret)]]),
    missing: null,
    // A loopback address may be a port that is forwarded to a container, or a tunnel's end.
    isSurelyReached: target.embedded && webhook.publicUrl === null,
    hasDelivery: async (token) => (await receiver.deliveries(token)).length > 0,
    hasVouchedDelivery: async (token) => {
      const { scheme: checked } = receiver.access.signature;
      return (await receiver.deliveries(token)).some((each) => isVouched(checked, each));
    },
    turnedAway: async () => {
      const { unknownPath, wrongMethod, foreignToken } = (await receiver.stats()).refused;
      return unknownPath + wrongMethod + foreignToken;
    },
    close: () => receiver.close(),
  };
}

function noReceiver(missing: string | null): OpenReceiver {
  return {
    access: null,
    secrets: new Map(),
    missing,
    isSurelyReached: false,
    hasDelivery: async () => false,
    hasVouchedDelivery: async () => false,
    turnedAway: async () => 0,
    close: async () => {},
  };
}
