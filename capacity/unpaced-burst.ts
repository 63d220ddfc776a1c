/** One burst of requests by autocannon: so many connections, each as fast as it is answered. */

import { createRequire } from "node:module";
import type { Result } from "autocannon";
import autocannon from "autocannon";

import type { TimeQuantiles } from "../contract/capacity-step.ts";
import { quantilesOf } from "../contract/capacity-step.ts";
import { newHistogram, recordValue } from "../contract/histogram.ts";
import { API_KEY_HEADER, ROUTES } from "../contract/routes.ts";
import type { CapacityOptions } from "./options.ts";

const REQUEST_TIMEOUT_SECONDS = 15;

export interface Burst {
  result: Result;
  /** Of answers with 2xx; autocannon itself counts in whole ms, and knows no p95. */
  latencyMs: TimeQuantiles | null;
}

export function fire(
  options: CapacityOptions,
  connections: number,
  seconds: number,
): Promise<Burst> {
  const { target, endpoint, keys, secrets, signal } = options;
  const [key] = keys;
  const latencies = newHistogram();
  const requests = keys.map(({ env }) => ({
    headers: { [API_KEY_HEADER]: secrets.get(env)?.reveal() ?? "", accept: "application/json" },
  }));
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: target.baseUrl + ROUTES[endpoint],
        connections,
        duration: seconds,
        timeout: REQUEST_TIMEOUT_SECONDS,
        ...(key === undefined ? {} : { requests }),
      },
      (error, result) => {
        signal.removeEventListener("abort", stop);
        if (error) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve({ result, latencyMs: quantilesOf(latencies) });
      },
    );
    instance.on("response", (_client, status, _bytes, responseTime) => {
      if (status >= 200 && status < 300) recordValue(latencies, responseTime);
    });
    const stop = () => {
      (instance as unknown as { stop?: () => void }).stop?.();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

export function autocannonVersion(): string {
  const require = createRequire(import.meta.url);
  return (require("autocannon/package.json") as { version: string }).version;
}
