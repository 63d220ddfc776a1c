/** What is let through and still had better be otherwise, with a code that stays. */

import { isLoopback, isLoopbackHost } from "../../contract/requests/loopback.ts";
import type { Target } from "../../contract/target.ts";

interface Warning {
  code: string;
  message: string;
}

export function warningLine({ code, message }: Warning): string {
  return `warning (${code}): ${message}\n`;
}

/** Of an address of webhooks that is reached from elsewhere without encryption. */
export function publicUrlWarnings(publicUrl: string | null): readonly Warning[] {
  if (publicUrl === null) return [];
  if (publicUrl.startsWith("https:") || isLoopback(publicUrl)) return [];
  const why = "results of jobs travel in clear text, and anybody on the way can change them";
  const message = `public URL ${publicUrl}: ${why}; expected https (docs/webhooks.md, TLS)`;
  return [{ code: "insecure-public-url", message }];
}

/** Of a soak that would offer nothing. */
export function loadWarnings({ load }: Pick<Target, "load">): readonly Warning[] {
  if (load !== null) return [];
  const expected = "expected load: { jobsPerSecond: ..., duration: ... } in the target file";
  return [{ code: "no-load", message: `this soak offers no load; ${expected}` }];
}

/** Of a query interface that more than this machine reaches. */
export function queryAddressWarnings(host: string): readonly Warning[] {
  if (isLoopbackHost(host)) return [];
  const message = `whoever reaches ${host} can read what was delivered; expected a loopback one`;
  return [{ code: "open-query-address", message }];
}
