/** Whether a service can reach the suite's own receiver, by the addresses of both. */

import { isLoopback, isLoopbackHost } from "../contract/requests/loopback.ts";
import type { Target } from "../contract/target.ts";

/** Why the service can't reach a receiver, in a sentence; null when nothing speaks against it. */
export function whyUnreachable(target: Target): string | null {
  const { webhook } = target;
  if (webhook === null) return "the target file has no webhook section";
  const { publicUrl, listen } = webhook;
  if (publicUrl !== null || !isLoopbackHost(listen.host) || isLocal(target)) return null;
  return `the service can't reach ${listen.host}; expected webhook.publicUrl`;
}

/** Whether the service itself is on this machine. */
export function isLocal({ baseUrl }: Target): boolean {
  return isLoopback(baseUrl);
}
