/** Whether a service can reach the suite's own receiver, by the addresses of both. */

import type { Target } from "../contract/target.ts";

/** Why the service can't reach a receiver, in a sentence; null when nothing speaks against it. */
export function whyUnreachable(target: Target): string | null {
  const { webhook } = target;
  if (webhook === null) return "the target file has no webhook section";
  const { publicUrl, listen } = webhook;
  if (publicUrl !== null || !isLoopback(listen.host) || isLocal(target)) return null;
  return `the service can't reach ${listen.host}; expected webhook.publicUrl`;
}

/** Whether the service itself is on this machine. */
export function isLocal({ baseUrl }: Target): boolean {
  return isLoopback(new URL(baseUrl).hostname);
}

/** Whether only this machine reaches it. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || /^127\./.test(name);
}
