/**
 * Carries the service's webhooks to the suite's receiver, over the same network. Several machines
 * send, each from somewhere else: any of them may take the next delivery.
 */

import type { PostWebhook } from "../reference/webhooks/sender.ts";
import type { Draw } from "./chance.ts";
import { originOf, rawHeadersOf } from "./http.ts";
import type { Machine } from "./machine.ts";
import type { Network } from "./network.ts";
import type { SimulatedReceiver } from "./webhook-receiver.ts";

/** How much further away than the service each of the senders is, and who of them is next. */
export interface Senders {
  /** They stand still when it does: they send when it goes on, and miss what answers meanwhile. */
  machine: Machine;
  waysMs: readonly number[];
  draw: Draw;
}

export function poster(
  network: Network,
  { machine, waysMs, draw }: Senders,
  receiverOf: () => SimulatedReceiver | null,
): PostWebhook {
  const { clock } = network;
  /** Idle connections of each sender. */
  const idle: object[][] = waysMs.map(() => []);
  return ({ url, headers: sent, body, limitMs, method, keepsConnection }) =>
    new Promise((resolve) => {
      const receiver = receiverOf();
      const sender = Math.floor(draw() * waysMs.length);
      const wayMs = waysMs[sender] ?? 0;
      const limitAtMs = clock.nowMs() + limitMs;
      let hangUp = () => {};
      const callOff = clock.after(limitMs, () =>
        clock.at(machine.runnableAt(limitAtMs), () => {
          resolve({ status: 0, cause: "no-answer" });
          clock.after(network.oneWayMs() + wayMs, () => hangUp());
        }),
      );
      const end = (result: Awaited<ReturnType<PostWebhook>>) => {
        const readAtMs = machine.runnableAt(clock.nowMs());
        if (readAtMs >= limitAtMs) return;
        callOff();
        clock.at(readAtMs, () => resolve(result));
      };
      const origin = originOf(url);
      if (receiver === null || !receiver.isListening(origin)) {
        clock.after(network.oneWayMs() * 2, () => end({ status: 0, cause: "refused" }));
        return;
      }
      const rawHeaders = rawHeadersOf(sent);
      const target = url.slice(origin.length);
      const kept = keepsConnection ? idle[sender]?.pop() : undefined;
      const connection = kept ?? {};
      const isNew = kept === undefined;
      // One that stands still between connecting and its request sends that when it goes on.
      const openedAtMs = machine.runnableAt(clock.nowMs()) + (isNew ? network.connectMs() : 0);
      const writtenAtMs = machine.runnableAt(openedAtMs);
      clock.at(writtenAtMs + network.oneWayMs() + wayMs, () => {
        const openedForMs = isNew ? clock.nowMs() - openedAtMs : undefined;
        const request = { method, target, rawHeaders, body, connection, openedForMs };
        hangUp = receiver.deliver(request, ({ status, headers, isReset, bodyMs }) => {
          clock.after(network.oneWayMs() + wayMs, () => {
            if (keepsConnection && !isReset) idle[sender]?.push(connection);
            end(
              isReset
                ? { status: 0, cause: "broken-off" }
                : { status, cause: "answered", bodyMs, namesPage: "location" in headers },
            );
          });
        });
      });
    });
}
