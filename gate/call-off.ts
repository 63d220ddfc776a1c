/** Ends a run whose service answers nobody any more: what is left would be asked in vain. */

import type { Stretch } from "../contract/requests/silence.ts";
import {
  lastingSince,
  PROBE_AFTER_MS,
  PROBE_EVERY_MS,
  PROBE_TIMEOUT_MS,
} from "../contract/requests/silence.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import type { Secrets } from "../contract/text/secret.ts";
import type { Client } from "../http/client.ts";
import type { ClientRequest } from "../http/request.ts";
import type { WitnessNet } from "./witnesses/witness.ts";

/** Since when nobody was answered, and when the run was called off for that; ms since the epoch. */
export interface CalledOff {
  sinceMs: number;
  atMs: number;
}

/**
 * Ours: each scenario finds out by itself, at once or after its longest wait, and then ends within
 * 30 s. One that has not by then is stopped.
 */
const ENDING_MS = 60_000;

interface CallOffOptions {
  net: WitnessNet;
  baseUrl: string;
  /** How long nobody is answered before the run is called off, in ms. */
  unavailableMs: number;
  /** Ends the waiting for those that do not end. */
  signal: AbortSignal;
  onCalledOff: (calledOff: CalledOff) => void;
}

export class CallOff {
  readonly #options: CallOffOptions;
  readonly #stop = new AbortController();
  readonly #over = new AbortController();
  #asking: Promise<void> | null = null;
  #calledOff: CalledOff | null = null;

  constructor(options: CallOffOptions) {
    this.#options = options;
  }

  /** Null while the run goes on. */
  get calledOff(): CalledOff | null {
    return this.#calledOff;
  }

  /** Aborted for scenarios that go on though the run was called off. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Believes no scenario alone: its connections may be what was lost. One that ends while nobody is
   * answered has not found out what comes of that. Asked with the key of the scenario's caller: who
   * has none may be answered by nobody while others are.
   */
  heard(record: EvidenceRecord, key: ClientRequest["key"]): void {
    if (record.type === "unavailable") this.#suspect(record.sinceMs, PROBE_AFTER_MS, key);
    if (record.type !== "silences") return;
    const sinceMs = lastingSince(record);
    if (sinceMs !== null) this.#suspect(sinceMs, PROBE_TIMEOUT_MS, key);
  }

  /** Resolves when it is known whether the run goes on. */
  async known(): Promise<void> {
    await this.#asking;
  }

  /** No scenario runs any more. */
  end(): void {
    this.#over.abort();
  }

  #suspect(sinceMs: number, timeoutMs: number, key: ClientRequest["key"]): void {
    if (this.#asking !== null || this.#calledOff !== null) return;
    const { net, baseUrl } = this.#options;
    const client = net.createClient(baseUrl, { answerTimeoutMs: timeoutMs });
    // Whoever ends the waiting asks for no more.
    this.#asking = this.#ask(client, sinceMs, key)
      .catch(() => {})
      .finally(() => {
        this.#asking = null;
        return client.close();
      });
  }

  async #ask(client: Client, sinceMs: number, key: ClientRequest["key"]): Promise<void> {
    const { net, onCalledOff, signal, unavailableMs } = this.#options;
    const waiting = AbortSignal.any([signal, this.#over.signal]);
    for (;;) {
      const answer = await client.send({ route: "workers", key, signal: waiting });
      if (answer.status > 0 || answer.error === "unread" || answer.error === "local") return;
      if (net.nowMs() - sinceMs >= unavailableMs) break;
      await net.sleep(PROBE_EVERY_MS, waiting);
    }
    this.#calledOff = { sinceMs, atMs: net.nowMs() };
    onCalledOff(this.#calledOff);
    void net.sleep(ENDING_MS, waiting).then(
      () => this.#stop.abort(),
      () => {},
    );
  }
}

/**
 * What a run that was called off says first. Another scenario may have been answered later than the
 * one that told; what was answered after the end of all, as of a service that came back, is not it.
 */
export function calledOffNote({ sinceMs, atMs }: CalledOff, answered: readonly Stretch[]): string {
  const lastMs = answered.flatMap(([fromMs, toMs]) => (fromMs > atMs ? [] : [toMs]));
  const since = timeOf(Math.min(atMs, Math.max(sinceMs, ...lastMs)));
  return `target unavailable: nobody was answered since ${since}; called off at ${timeOf(atMs)}`;
}

export function timeOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(11, 19)} UTC`;
}

/** Null where none is configured. */
export function callerKey({ keys, roles }: RunPlan, secrets: Secrets): ClientRequest["key"] {
  const key = keys.find(({ name }) => name === roles.caller);
  const value = key === undefined ? undefined : secrets.get(key.env);
  return key === undefined || value === undefined ? null : { name: key.name, value };
}
