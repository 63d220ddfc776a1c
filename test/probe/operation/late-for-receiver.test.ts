/** A webhook that comes late because the probe's own receiver was away. */

import { expect, it } from "vitest";
import type { OpenReceiver } from "../../../probe/operation/webhooks/delivery-desk.ts";
import { systemPorts } from "../../../probe/ports.ts";
import { openReference } from "../../reference/open-reference.ts";
import { bendingProxy } from "../bending-proxy.ts";
import { canary, open, until } from "../open-probe.ts";

it("counts as delivered, and its delay as no figure of the service", async () => {
  const receivers: OpenReceiver[] = [];
  const service = await openReference({ timeScale: 0.02 });
  const baseUrl = await bendingProxy(service.baseUrl, {
    request: (text) => {
      if (text.includes('"webhook"')) void receivers[0]?.close();
      return text;
    },
  });
  const { openReceiver } = systemPorts();
  const { probe, sample } = await open({
    canaries: [canary("success", { webhook: true })],
    target: { baseUrl },
    ports: {
      openReceiver: async (...given) => {
        const receiver = await openReceiver(...given);
        receivers.push(receiver);
        return receiver;
      },
    },
  });
  await probe.once();
  const first = () => sample(/^plumbline_webhook_deliveries_total.*outcome="first"/);
  await until(async () => (await first()) === 1);
  expect(receivers).toHaveLength(2);
  expect(await sample(/^plumbline_webhook_delay_seconds_count/)).toBe(0);
  expect(await sample(/_sli_events_total.*webhook-delivered",result="good"/)).toBe(1);
});
