/** Which webhook addresses a run warns of. */

import { describe, expect, it } from "vitest";

import type { WebhookTarget } from "../../../contract/target.ts";
import { webhookAddressWarning } from "../../../gate/preflight/webhook-address.ts";

function webhookAt(publicUrl: string | null): WebhookTarget {
  return {
    listen: { host: "127.0.0.1", port: 0 },
    publicUrl,
    signature: { header: "X-Service-Signature", scheme: "present", secretEnv: null },
  };
}

describe("a run", () => {
  it("warns of a public address without TLS", () => {
    expect(webhookAddressWarning({ webhook: webhookAt("http://hooks.example.com") })).toBe(
      "webhook.publicUrl http://hooks.example.com is not https: deliveries travel unencrypted",
    );
  });

  it.each([null, "https://hooks.example.com", "http://127.0.0.1:8080", "http://[::1]:8080"])(
    "does not warn of %s",
    (publicUrl) => {
      expect(webhookAddressWarning({ webhook: webhookAt(publicUrl) })).toBeNull();
    },
  );
});
