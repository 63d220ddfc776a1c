/** The probe's way to the service: paced, paused by a 429, every request reported. */

import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Secret } from "../../contract/text/secret.ts";
import type { Client } from "../../http/client.ts";
import type { ClientRequest } from "../../http/request.ts";
import type { Clock } from "../clock.ts";
import { sleepUntil } from "../clock.ts";
import type { Emit } from "../events.ts";
import { emitViolations } from "../events.ts";
import { violationsOfRefusal } from "../judging.ts";
import type { TraceOf } from "../trace.ts";
import type { Pacer } from "./pacer.ts";

/** `runId`: of the canary run that it belongs to, whose trace it joins. */
export type ProbeRequest = Omit<ClientRequest, "key" | "keyHeader" | "signal" | "trace"> & {
  runId?: string;
};

export interface PacedClient {
  /** At once, as its time is what counts: a submission. */
  sendNow(request: ProbeRequest): Promise<Exchange>;
  /** When the pace allows it, but by that time; null when that would be later, or on the signal. */
  send(request: ProbeRequest, byMs: number, signal: AbortSignal): Promise<Exchange | null>;
  /** Until when a 429 forbids requests. */
  readonly pausedUntilMs: number;
  /** The wait that the last 429 asked for; null where it asked for none. */
  readonly askedMs: number | null;
  close(): Promise<void>;
}

export interface PacedClientParts {
  client: Client;
  /** The name under which exchanges list the key, and its value. */
  key: { name: string; value: Secret };
  pacer: Pacer;
  clock: Clock;
  emit: Emit;
  /** The traces that requests carry; null or left out: none. */
  traceOf: TraceOf | null;
}

export function createPacedClient(parts: PacedClientParts): PacedClient {
  const { client, key, pacer, clock, emit, traceOf } = parts;
  async function perform({ runId, ...request }: ProbeRequest): Promise<Exchange> {
    const trace = traceOf === null ? {} : { trace: traceOf(runId ?? null) };
    const exchange = await client.send({ ...request, key, ...trace });
    emit({ type: "request", exchange, retryAfterMs: pacer.heed(exchange) });
    const { receivedAtMs } = exchange;
    emitViolations(emit, { run: null }, violationsOfRefusal(exchange), receivedAtMs);
    return exchange;
  }
  return {
    get pausedUntilMs() {
      return pacer.pausedUntilMs;
    },
    get askedMs() {
      return pacer.askedMs;
    },
    sendNow: perform,
    async send(request, byMs, signal) {
      const atMs = pacer.book(clock.nowMs(), byMs);
      if (atMs === null) return null;
      if (atMs > clock.nowMs()) await sleepUntil(clock, atMs, signal);
      return signal.aborted ? null : perform(request);
    },
    close: () => client.close(),
  };
}
