/** A webhook that does not come is held against the service only where it could have come. */

import { describe, expect, it } from "vitest";
import type { Target } from "../../../contract/target.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../../contract/webhook-schedule.ts";
import { readMachine } from "../../../probe/clock-watch.ts";
import { systemPorts } from "../../../probe/ports.ts";
import { fakeClock } from "../fake-clock.ts";
import { canary, open } from "../open-probe.ts";

const NEVER = "webhook.delivered/never";
const DELIVERIES = /^plumbline_webhook_deliveries_total/;
const MISSING = /^plumbline_webhook_deliveries_total.*outcome="missing"/;
const BAD = /^plumbline_sli_events_total.*slo="webhook-delivered",result="bad"/;
const BROKEN = /^plumbline_promise_violations_total.*promise="webhook.delivered"/;
const LISTENING = /^plumbline_webhook_receiver_listening/;

/** A service that is merely at an address of this machine, in a container perhaps. */
const ELSEWHERE: Partial<Target> = {
  embedded: false,
  webhook: {
    listen: { host: "127.0.0.1", port: 0 },
    publicUrl: null,
    signature: { header: WEBHOOK_SIGNATURE_HEADER, scheme: "present", secretEnvs: [] },
  },
};

/** Time goes by a hundred times as fast until the sample is the one that is waited for. */
async function openFast(target: Partial<Target>) {
  const clock = fakeClock(Date.now());
  const canaries = [canary("success", { webhook: true, deadlineMs: 600_000 })];
  const opened = await open({ canaries, target, ports: { clock } });
  const hurry = async <Value>(until: Promise<Value>): Promise<Value> => {
    const ticks = setInterval(() => clock.advance(500), 5);
    return until.finally(() => clearInterval(ticks));
  };
  const once = () => hurry(opened.probe.once());
  const becomes = (pattern: RegExp, value: number) =>
    hurry(expect.poll(() => opened.sample(pattern), { timeout: 20_000 }).toBe(value));
  return { ...opened, once, becomes };
}

describe("a webhook that never comes", () => {
  it("from the embedded service is missing", async () => {
    const { service, once, becomes, sample } = await openFast({});
    service.faults.enable(NEVER);
    await once();
    await becomes(MISSING, 1);
    expect([await sample(BAD), await sample(BROKEN)]).toEqual([1, 1]);
  });

  it("before any came leaves open, and says so, whether any can come", async () => {
    const { probe, service, once, becomes, sample } = await openFast(ELSEWHERE);
    service.faults.enable(NEVER);
    expect(await sample(LISTENING)).toBe(1);
    await once();
    await becomes(LISTENING, 0);
    expect([await sample(DELIVERIES), await sample(BAD), await sample(BROKEN)]).toEqual([0, 0, 0]);
    const page = await (await fetch(probe.address)).text();
    expect(page).toContain("the service may not reach http://127.0.0.1:");
    service.faults.disable(NEVER);
    await once();
    await becomes(LISTENING, 1);
    service.faults.enable(NEVER);
    await once();
    await becomes(MISSING, 1);
    expect([await sample(BAD), await sample(BROKEN)]).toEqual([1, 1]);
  });

  it("while the machine slept may have been sent to nobody", async () => {
    let sleptMs = 0;
    const { service, probe, sample } = await open({
      canaries: [canary("success", { webhook: true })],
      ports: systemPorts(() => {
        const machine = readMachine();
        return { ...machine, bootMs: machine.bootMs + sleptMs, wallMs: machine.wallMs + sleptMs };
      }),
    });
    service.faults.enable(NEVER);
    await probe.once();
    sleptMs = 400_000;
    const slept = () => sample(/^plumbline_machine_sleep_seconds_total/);
    await expect.poll(slept, { timeout: 20_000 }).toBeGreaterThan(0);
    // The watch ends with the sleep; what it tells is told within some turns of the event loop.
    for (let polls = 0; polls < 10; polls += 1) expect(await sample(MISSING)).toBe(0);
    expect([await sample(BAD), await sample(BROKEN)]).toEqual([0, 0]);
  });
});
