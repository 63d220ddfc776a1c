/** Warns of a webhook address on which results would travel unencrypted. */

import type { Target } from "../../contract/target.ts";

const LOCAL_HOST = /^(localhost|127\..*|\[::1\])$/;

/** A sentence; null for https, for this machine, and where no address is configured. */
export function webhookAddressWarning({ webhook }: Pick<Target, "webhook">): string | null {
  if (webhook === null || webhook.publicUrl === null) return null;
  const { protocol, hostname } = new URL(webhook.publicUrl);
  if (protocol === "https:" || LOCAL_HOST.test(hostname)) return null;
  return `webhook.publicUrl ${webhook.publicUrl} is not https: deliveries travel unencrypted`;
}
