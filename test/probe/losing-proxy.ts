/** A proxy that passes submissions on and loses the answers: the service has the job, we don't. */

import { bendingProxy } from "./bending-proxy.ts";

/** Gives back its address. Every other request passes untouched. */
export function losingProxy(baseUrl: string): Promise<string> {
  return bendingProxy(baseUrl, {
    answer: (body, { method }) => (method === "POST" ? null : body),
  });
}
