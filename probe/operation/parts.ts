/** Opens what all runs share: the key's client, the journal, the receiver. */

import type { Target } from "../../contract/target.ts";
import { redactor } from "../../contract/text/redact.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import { beatMsFor } from "../../contract/time/lag.ts";
import { promisedTimes } from "../../contract/time/promised-times.ts";
import { createPacedClient } from "../client/paced-client.ts";
import { Pacer } from "../client/pacer.ts";
import { keyOf } from "../client/probe-key.ts";
import type { Emit, JournalFailure } from "../events.ts";
import type { ProbePorts } from "../ports.ts";
import { traces } from "../trace.ts";
import { AnswerWatch } from "./answer-watch.ts";
import { newPriceList } from "./costs/price-list.ts";
import { Knowledge } from "./knowledge.ts";
import { MachineLag } from "./machine-lag.ts";
import type { Parts } from "./runs/run.ts";
import { openDesk, openDeskBeside } from "./webhooks/webhook-receiver.ts";

/** Ours: a few polls find the end of most jobs within what an operator can tell apart. */
export const REQUESTS_PER_JOB = 6;

/** Ours: a share of the plan's rate needs few; thousands of jobs in flight need some more. */
const CONNECTIONS_MAX = 64;

/**
 * Ours: most balancers spread connections, so that one that is kept for good stays with a single
 * instance, and with the address that the name had. Half of the shortest default interval of a
 * canary, so that each run of it goes over another; a handshake in so long costs nothing.
 */
const CONNECTION_AGE_MS_MAX = 30_000;

export interface OpenParts {
  parts: Parts;
  pacer: Pacer;
  /** Why the probe can't do its work, a sentence each; none when it can. */
  unready(): readonly string[];
}

interface Surroundings {
  ports: ProbePorts;
  emit: Emit;
  signal: AbortSignal;
}

interface Given {
  target: Target;
  secrets: Secrets;
  stateDir: string;
  /** null: nothing is served, and another probe may hold the address for webhooks. */
  listen?: object | null;
  /** A person says that what is not known to be spent may be left out of the account. */
  acceptUnknownSpending?: boolean;
}

export async function openParts(
  { target, secrets, stateDir, listen, acceptUnknownSpending = false }: Given,
  { ports, emit, signal }: Surroundings,
): Promise<OpenParts> {
  const { clock, newId } = ports;
  const { baseUrl } = target;
  const key = keyOf(target);
  const value = secrets.get(key.env);
  if (value === undefined) throw new Error(`key "${key.name}" has no value; expected one`);
  const onFailure = (what: JournalFailure, why: string) =>
    emit({ type: "journal-failed", what, why });
  const onRecovered = () => emit({ type: "journal-recovered" });
  const onTightened = (what: string) => emit({ type: "journal-tightened", what });
  const heard = { onFailure, onRecovered, onTightened };
  const redact = redactor(secrets.values());
  const given = { stateDir, baseUrl, clock, redact, acceptUnknownSpending };
  const journal = ports.openJournal({ ...given, ...heard });
  const beatMs = beatMsFor(promisedTimes(target));
  const open = listen === null ? openDeskBeside : openDesk;
  const { desk, missing } = await open(target, secrets, {
    clock,
    emit,
    journal,
    newId,
    skewMs: ports.skippedMs,
    lag: { since: (fromMs) => lag.since(fromMs) },
    openReceiver: ports.openReceiver,
    beatMs,
  });
  if (desk !== null || missing !== null) {
    const address = desk === null ? {} : { url: desk.publicUrl };
    emit({ type: "receiver", listening: desk !== null, why: missing, ...address });
  }
  const lag = new MachineLag(clock, async () => (await desk?.lags()) ?? [], beatMs);
  const answers = new AnswerWatch(emit, lag);
  const watched: Emit = (event) => {
    emit(event);
    if (event.type === "request") answers.take(event.exchange);
    if (event.type === "resolved" && event.how !== "unresolved") answers.found(clock.nowMs());
  };
  const pacer = new Pacer(key, target.probe?.rateShare ?? null);
  const client = createPacedClient({
    client: ports.createClient(baseUrl, {
      nowMs: clock.nowMs,
      connectionsMax: CONNECTIONS_MAX,
      connectionAgeMsMax: CONNECTION_AGE_MS_MAX,
      onCertificate: (validity) => emit({ type: "certificate", of: "service", validity }),
    }),
    key: { name: key.name, value },
    pacer,
    clock,
    emit: watched,
    traceOf: target.trace == null ? null : traces(newId),
  });
  const parts: Parts = {
    target,
    clock,
    newId,
    client,
    journal,
    desk,
    knowledge: new Knowledge(),
    prices: newPriceList(),
    lag,
    emit: watched,
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
