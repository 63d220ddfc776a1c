/** What counts as a delivered webhook for the service level: one that a caller can trust. */

import { expect, it } from "vitest";
import type { SignatureScheme } from "../../../contract/jobs/delivery.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../../contract/webhook-schedule.ts";
import { canary, open, until } from "../open-probe.ts";

type Result = "good" | "bad";

const unchecked = (scheme: SignatureScheme) => ({
  listen: { host: "127.0.0.1", port: 0 },
  publicUrl: null,
  signature: { header: WEBHOOK_SIGNATURE_HEADER, scheme, secretEnvs: [] },
});

it.each([
  ["signed as it should be", null, null, "good"],
  ["with a signature that does not fit", "webhook.signed/tampered", null, "bad"],
  ["without a signature, where there is a scheme", "webhook.signed/missing", null, "bad"],
  ["tampered with, where no scheme is known", "webhook.signed/tampered", "present", "good"],
  ["tampered with, where no secret is known", "webhook.signed/tampered", "hmac-sha256", "good"],
] as [string, string | null, SignatureScheme | null, Result][])(
  "a delivery %s (fault %s, scheme %s without a secret) is %s",
  async (_how, fault, scheme, result) => {
    const { probe, service, sample } = await open({
      canaries: [canary("success", { webhook: true })],
      target: scheme === null ? {} : { webhook: unchecked(scheme) },
    });
    if (fault !== null) service.faults.enable(fault);
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
    const counted = () => sample(/^plumbline_sli_events_total.*slo="webhook-delivered"/);
    await until(async () => (await counted()) > 0);
    const level = new RegExp(`_sli_events_total.*slo="webhook-delivered",result="${result}"`);
    expect(await sample(level)).toBe(1);
    const outcome = result === "good" ? "first" : "unsigned";
    const deliveries = new RegExp(`^plumbline_webhook_deliveries_total.*outcome="${outcome}"`);
    expect(await sample(deliveries)).toBe(1);
  },
);
