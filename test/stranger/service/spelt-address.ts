/** How the stranger stores the address of a webhook. */

import type { House } from "./ports.ts";

export function spelt(url: string, { trouble }: House): string {
  return trouble.has("webhook-address-in-lower-case") ? url.toLowerCase() : url;
}
