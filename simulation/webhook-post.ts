/** Carries the service's webhooks to the suite's receiver, over the same network. */

import type { PostWebhook } from "../reference/webhooks/sender.ts";
import { originOf } from "./http.ts";
import type { Network } from "./network.ts";
import type { SimulatedReceiver } from "./webhook-receiver.ts";

export function poster(network: Network, receiverOf: () => SimulatedReceiver | null): PostWebhook {
  const { clock } = network;
  return ({ url, headers, body, limitMs }) =>
    new Promise((resolve) => {
      const receiver = receiverOf();
      const callOff = clock.after(limitMs, () => resolve({ status: 0, cause: "no-answer" }));
      const end = (result: Awaited<ReturnType<PostWebhook>>) => {
        callOff();
        resolve(result);
      };
      const origin = originOf(url);
      if (receiver === null || !receiver.isListening(origin)) {
        clock.after(network.oneWayMs() * 2, () => end({ status: 0, cause: "refused" }));
        return;
      }
      const rawHeaders = Object.entries(headers).flat();
      const target = url.slice(origin.length);
      clock.after(network.connectMs() + network.oneWayMs(), () => {
        const request = { method: "POST", target, rawHeaders, body, connection: {} };
        receiver.deliver(request, ({ status, isReset }) => {
          clock.after(network.oneWayMs(), () => {
            end(isReset ? { status: 0, cause: "broken-off" } : { status, cause: "answered" });
          });
        });
      });
    });
}
