/** Opens what all runs share: the key's client, the journal, the receiver. */

import type { SystemClock } from "../../clock/system-clock.ts";
import type { Secrets, Target } from "../../contract/target.ts";
import { createClient } from "../../http/client.ts";
import { createPacedClient } from "../client/paced-client.ts";
import { Pacer } from "../client/pacer.ts";
import { keyOf } from "../client/probe-key.ts";
import type { Clock } from "../clock.ts";
import type { Emit, JournalFailure } from "../events.ts";
import { openJournal } from "../journal/journal.ts";
import { Knowledge } from "./knowledge.ts";
import { MachineLag } from "./machine-lag.ts";
import { newPriceList } from "./price-list.ts";
import type { Parts } from "./run.ts";
import { openDesk, openDeskBeside } from "./webhook-receiver.ts";

/** Ours: a few looks find the end of most jobs within what an operator can tell apart. */
export const REQUESTS_PER_JOB = 6;

/** Ours: a share of the plan's rate needs few; thousands of jobs in flight need some more. */
const CONNECTIONS_MAX = 64;

export interface OpenParts {
  parts: Parts;
  pacer: Pacer;
  /** Why the probe can't do its work, a sentence each; none when it can. */
  unready(): readonly string[];
}

interface Surroundings {
  clock: Clock;
  emit: Emit;
  signal: AbortSignal;
  /** The clock whose skips the receiver does not know of. */
  skew: SystemClock;
}

interface Given {
  target: Target;
  secrets: Secrets;
  stateDir: string;
  /** null: nothing is served, and another probe may hold the address for webhooks. */
  listen?: object | null;
}

export async function openParts(
  { target, secrets, stateDir, listen }: Given,
  { clock, emit, signal, skew }: Surroundings,
): Promise<OpenParts> {
  const { baseUrl } = target;
  const key = keyOf(target);
  const value = secrets.get(key.env);
  if (value === undefined) throw new Error(`key "${key.name}" has no value; expected one`);
  const onFailure = (what: JournalFailure, why: string) =>
    emit({ type: "journal-failed", what, why });
  const onRecovered = () => emit({ type: "journal-recovered" });
  const onTightened = (what: string) => emit({ type: "journal-tightened", what });
  const heard = { onFailure, onRecovered, onTightened };
  const journal = openJournal({ stateDir, baseUrl, ...heard }, clock.nowMs());
  const open = listen === null ? openDeskBeside : openDesk;
  const { desk, missing } = await open(target, secrets, {
    clock,
    emit,
    skewMs: () => skew.skippedMs,
  });
  if (desk !== null || missing !== null) {
    emit({ type: "receiver", listening: desk !== null, why: missing });
  }
  const pacer = new Pacer(key, target.probe?.rateShare ?? null);
  const client = createPacedClient({
    client: createClient(baseUrl, { nowMs: clock.nowMs, connectionsMax: CONNECTIONS_MAX }),
    key: { name: key.name, value },
    pacer,
    clock,
    emit,
  });
  const parts: Parts = {
    target,
    clock,
    client,
    journal,
    desk,
    knowledge: new Knowledge(),
    prices: newPriceList(),
    lag: new MachineLag(clock, async () => (await desk?.lags()) ?? []),
    emit,
    requestsPerJob: target.probe?.requestsPerJob ?? REQUESTS_PER_JOB,
    signal,
  };
  return { parts, pacer, unready: () => unreadyOf(parts) };
}

/** Nothing of the target itself: a service that is down is what the probe is there to tell. */
function unreadyOf({ journal, desk }: Parts): readonly string[] {
  return [
    ...(journal.writable ? [] : ["the journal can't be written"]),
    ...(desk === null || desk.listening ? [] : ["the webhook receiver is not listening"]),
  ];
}
