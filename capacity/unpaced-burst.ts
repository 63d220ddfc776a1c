/** One burst of requests by autocannon: so many connections, each as fast as it is answered. */

import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import type { Result } from "autocannon";
import autocannon from "autocannon";

import { beats } from "../clock/beats.ts";
import { createSystemClock } from "../clock/system-clock.ts";
import { newHistogram, recordValue } from "../contract/numbers/histogram.ts";
import { API_KEY_HEADER, ROUTES } from "../contract/requests/routes.ts";
import type { TimeQuantiles } from "../contract/run/capacity-step.ts";
import { quantilesOf } from "../contract/run/capacity-step.ts";
import { lagRecord } from "../contract/time/lag.ts";
import type { CapacityOptions } from "./options.ts";

const REQUEST_TIMEOUT_SECONDS = 15;
const BEAT_MS = 10;
/** Ours: Node's timers count whole milliseconds, so that each is late by up to one or two. */
const TIMER_MS = 2;
const LAG_SHARE = 0.95;

export interface Burst {
  connections: number;
  seconds: number;
  /** Answers with 2xx, with 429, and all else: other answers, and requests without one. */
  answered: number;
  refused429: number;
  errors: number;
  /** Of answers with 2xx; autocannon itself counts in whole ms, and knows no p95. */
  latencyMs: TimeQuantiles | null;
  own: OwnTime;
}

/** What this process did meanwhile; shares of the time. */
export interface OwnTime {
  /** The event loop was busy. */
  busyShare: number;
  /** It should have run, and neither ran nor waited for anything but a core. */
  starvedShare: number;
  /** By how much timers were late, at worst of nineteen in twenty. */
  lagMs: number;
}

export async function fireBurst(
  options: CapacityOptions,
  connections: number,
  seconds: number,
): Promise<Burst> {
  const latencies = newHistogram();
  const ownTime = watchOwnTime();
  const result = await cannonade(options, connections, seconds, (ms) => recordValue(latencies, ms));
  const own = ownTime();
  const refused429 = result.statusCodeStats?.["429"]?.count ?? 0;
  return {
    connections: result.connections,
    seconds: result.duration,
    answered: result["2xx"],
    refused429,
    errors: Math.max(0, result.non2xx - refused429) + result.errors,
    latencyMs: quantilesOf(latencies),
    own,
  };
}

function cannonade(
  { target, endpoint, keys, secrets, signal }: CapacityOptions,
  connections: number,
  seconds: number,
  onAnswered: (latencyMs: number) => void,
): Promise<Result> {
  const [key] = keys;
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
        else resolve(result);
      },
    );
    instance.on("response", (_client, status, _bytes, responseTime) => {
      if (status >= 200 && status < 300) onAnswered(responseTime);
    });
    const stop = () => {
      (instance as unknown as { stop?: () => void }).stop?.();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Watches until it is asked. A thread that is late and used no CPU meanwhile waited for a core. */
function watchOwnTime(): () => OwnTime {
  const fromMs = performance.now();
  const loop = performance.eventLoopUtilization();
  const lag = lagRecord();
  let starvedMs = 0;
  let cpuMs = threadCpuMs();
  const end = beats(createSystemClock(), BEAT_MS, (span) => {
    const usedMs = threadCpuMs() - cpuMs;
    cpuMs += usedMs;
    lag.note(span);
    const idleMs = span.lagMs - usedMs;
    if (idleMs > TIMER_MS) starvedMs += idleMs;
  });
  return () => {
    end();
    return {
      busyShare: performance.eventLoopUtilization(loop).utilization,
      starvedShare: starvedMs / Math.max(1, performance.now() - fromMs),
      lagMs: Math.max(0, lag.quantile(LAG_SHARE)),
    };
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export function autocannonVersion(): string {
  const require = createRequire(import.meta.url);
  return (require("autocannon/package.json") as { version: string }).version;
}
