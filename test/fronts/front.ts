/** What may stand between a client and the reference service, as gateways do in real places. */

import { openHaproxyFront, openNginxFront } from "./gateways.ts";
import type { Front } from "./tls.ts";
import { openTlsFront } from "./tls.ts";

/** `nginx` and `haproxy` end HTTPS and speak HTTP/2 to clients; `tls` passes bytes on. */
export type FrontKind = "tls" | "nginx" | "haproxy";

const OPENERS: Readonly<Record<FrontKind, (serviceUrl: string) => Promise<Front>>> = {
  tls: openTlsFront,
  nginx: openNginxFront,
  haproxy: openHaproxyFront,
};

/** null: clients reach the service itself. */
export async function openFront(kind: FrontKind | null, serviceUrl: string): Promise<Front> {
  if (kind === null) return { baseUrl: serviceUrl, close: async () => {} };
  return await OPENERS[kind](serviceUrl);
}
