/** The receiver of a target's webhooks, opened for the probe's delivery desk. */

import type { Delivery } from "../../../contract/jobs/delivery.ts";
import { isVouched } from "../../../contract/jobs/delivery.ts";
import type { Target, WebhookTarget } from "../../../contract/target.ts";
import type { Secrets } from "../../../contract/text/secret.ts";
import { ReceiverError } from "../../../receiver/listen.ts";
import { withSecrets } from "../../../receiver/options.ts";
import { isLocal, whyUnreachable } from "../../../receiver/reachability.ts";
import { startReceiver } from "../../../receiver/receiver.ts";
import { checkedSchemeOf } from "../../judging.ts";
import type { DeliveryDesk, DeskParts, OpenReceiver } from "./delivery-desk.ts";
import { openDeliveryDesk, TOKEN_PREFIX } from "./delivery-desk.ts";
import { askAddress } from "./own-reach.ts";

export interface Desk {
  desk: DeliveryDesk | null;
  /** Why there is none, in a sentence; null where none is asked for. */
  missing: string | null;
}

/**
 * Opens a receiver; where one was open before, at the same address. `beatMs`: how often it looks
 * whether the machine is late.
 */
export type OpenReceiverOf = (
  webhook: WebhookTarget,
  secrets: Secrets,
  before: OpenReceiver | null,
  beatMs: number,
) => Promise<OpenReceiver>;

type Given = Omit<DeskParts, "open" | "isVouched"> & {
  openReceiver: OpenReceiverOf;
  beatMs: number;
};

/**
 * Opens the desk, or says why the service can't reach one: a webhook that can't arrive says
 * nothing of the service. Rejects with ReceiverError when the address can't be listened on.
 */
export async function openDesk(target: Target, secrets: Secrets, given: Given): Promise<Desk> {
  const { openReceiver, beatMs, ...parts } = given;
  const { webhook } = target;
  if (webhook === null) return { desk: null, missing: null };
  const missing = whyUnreachable(target);
  if (missing !== null) return { desk: null, missing };
  const open = (before: OpenReceiver | null) => openReceiver(webhook, secrets, before, beatMs);
  const vouches = (delivery: Delivery) => isVouched(checkedSchemeOf(target), delivery);
  const desk = await openDeliveryDesk({ ...parts, open, isVouched: vouches });
  return { desk, missing: null };
}

/**
 * As openDesk, but beside a probe that may hold the address. A service on this machine reaches any
 * port; one elsewhere, or behind a proxy, only the one that is taken: then there is no desk.
 */
export async function openDeskBeside(
  target: Target,
  secrets: Secrets,
  given: Given,
): Promise<Desk> {
  try {
    return await openDesk(target, secrets, given);
  } catch (error) {
    const { webhook } = target;
    if (!(error instanceof ReceiverError) || webhook === null) throw error;
    if (webhook.publicUrl === null && isLocal(target)) {
      const listen = { ...webhook.listen, port: 0 };
      return await openDesk({ ...target, webhook: { ...webhook, listen } }, secrets, given);
    }
    return { desk: null, missing: `${error.message}; the runs ask for no webhooks` };
  }
}

export const openReceiver: OpenReceiverOf = async (
  { listen, publicUrl, signature },
  secrets,
  before,
  beatMs,
) => {
  const receiver = await startReceiver({
    beatMs,
    // The main thread watches itself: `MachineLag`.
    watchesMachine: false,
    // Jobs in flight were given the address of the receiver before.
    listen:
      before === null || listen.port !== 0
        ? listen
        : { ...listen, port: Number(new URL(before.publicUrl).port) },
    publicUrl,
    tokenPrefix: TOKEN_PREFIX,
    signature: withSecrets(signature, secrets),
  });
  const { arrivals, forget, stats, close, access } = receiver;
  const opened = { publicUrl: access.publicUrl, arrivals, forget, stats, close };
  return publicUrl === null ? opened : { ...opened, ask: askAddress };
};
