/** A proxy that passes submissions on and loses the answers: the service has the job, we don't. */

import { bendingProxy } from "./bending-proxy.ts";

/** Gives back its address. Every other request passes untouched, but for lists that are hidden. */
export function losingProxy(baseUrl: string, hidesLists = false): Promise<string> {
  return bendingProxy(baseUrl, {
    answer(body, { method, url }) {
      if (method === "POST") return null;
      return hidesLists && url?.split("?")[0] === "/v1/jobs" ? JSON.stringify({ jobs: [] }) : body;
    },
  });
}
