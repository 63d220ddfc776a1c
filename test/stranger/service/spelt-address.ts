/** How the stranger stores the address of a webhook. */

import type { House } from "./ports.ts";

export function asStored(url: string, { trouble }: House): string {
  if (trouble.has("webhook-address-cut-at-255")) return url.slice(0, 255);
  if (trouble.has("webhook-address-decoded")) return decodeURIComponent(url);
  return trouble.has("webhook-address-in-lower-case") ? url.toLowerCase() : url;
}
