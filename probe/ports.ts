/** The outside of the probe: time, chance, the service, the receiver of webhooks, the journal. */

import { randomUUID } from "node:crypto";
import { createSystemClock } from "../clock/system-clock.ts";
import type { Client, ClientOptions } from "../http/client.ts";
import { createClient } from "../http/client.ts";
import type { Clock } from "./clock.ts";
import type { Disturbance } from "./clock-watch.ts";
import { readMachine, watchClocks } from "./clock-watch.ts";
import type { Journal, JournalOptions } from "./journal/journal.ts";
import { openJournal } from "./journal/journal.ts";
import type { OpenReceiverOf } from "./operation/webhooks/webhook-receiver.ts";
import { openReceiver } from "./operation/webhooks/webhook-receiver.ts";

export interface ProbePorts {
  clock: Clock;
  /** Uniform in [0, 1); spreads the canaries. */
  random(): number;
  /** Never the same, nor to be guessed: names of runs, and of the addresses of their webhooks. */
  newId(): string;
  /** Tells that the machine slept or that its clock was set; gives back what ends it. */
  watchMachine(onDisturbance: (what: Disturbance) => void): () => void;
  /** How far `clock` is ahead of the receiver's, by what the machine slept. */
  skippedMs(): number;
  createClient(baseUrl: string, options: ClientOptions): Client;
  openReceiver: OpenReceiverOf;
  openJournal(options: JournalOptions): Journal;
}

/** The machine's own. */
export function systemPorts(readings = readMachine): ProbePorts {
  const clock = createSystemClock();
  return {
    clock,
    random: Math.random,
    newId: randomUUID,
    watchMachine: (onDisturbance) =>
      watchClocks(clock, readings, (what) => {
        clock.skip(what.sleptMs);
        onDisturbance(what);
      }),
    skippedMs: () => clock.skippedMs,
    createClient,
    openReceiver,
    openJournal,
  };
}
