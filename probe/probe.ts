/** Assembles the probe: schedules, client, receiver, journal, metrics and server as one process. */

import type { Logger } from "pino";
import type { Secrets, Target } from "../contract/target.ts";
import { startReceiver } from "../receiver/receiver.ts";
import type { Canary } from "./canary/canary.ts";
import { canariesOf } from "./canary/canary.ts";
import { objectivesOf } from "./canary/service-levels.ts";
import { createClient } from "./client/client.ts";
import { createPacedClient } from "./client/paced-client.ts";
import { Pacer } from "./client/pacer.ts";
import type { Clock } from "./clock.ts";
import { systemClock } from "./clock.ts";
import type { Emit, JournalFailure, ProbeEvent, Settled } from "./events.ts";
import { openJournal } from "./journal/journal.ts";
import { initialiseCanaries, initialiseMetrics, initialiseObjectives } from "./metrics/initial.ts";
import { recordEvent } from "./metrics/record.ts";
import type { Metrics } from "./metrics/registry.ts";
import { createMetrics } from "./metrics/registry.ts";
import { runApiChecks } from "./operation/api-checks.ts";
import { openDeliveryDesk, TOKEN_PREFIX } from "./operation/delivery-desk.ts";
import { Fleet } from "./operation/fleet.ts";
import { refreshGauges } from "./operation/gauges.ts";
import { startHousekeeping } from "./operation/housekeeping.ts";
import { Knowledge } from "./operation/knowledge.ts";
import { logEvent } from "./operation/log.ts";
import { newPriceList } from "./operation/price-list.ts";
import type { Parts } from "./operation/run.ts";
import type { ProbeServer } from "./server/server.ts";
import { startServer } from "./server/server.ts";
import { StatusBoard } from "./server/status-board.ts";

export interface ProbeOptions {
  target: Target;
  secrets: Secrets;
  stateDir: string;
  listen: { host: string; port: number };
  /** Tells several probes of one service apart. */
  location: string;
  bearerToken: string | null;
  version: string;
  logger: Logger;
  /** For tests of schedules. */
  clock?: Clock;
  random?: () => number;
}

export interface Probe {
  /** Where metrics and the status page are. */
  address: string;
  /** Runs each canary once and gives back how; null for one that was not started. */
  once(): Promise<ReadonlyMap<string, Settled | null>>;
  /** Starts the schedules. */
  start(): void;
  /** Takes another version of the target; throws, and keeps the old one, where it can't. */
  reload(target: Target): void;
  /** Reports that a changed file was not taken. */
  reloadFailed(why: string): void;
  /** Waits for jobs in flight at most so long; the journal keeps the others. */
  close(graceMs: number): Promise<void>;
}

/** Ours: a few looks find the end of most jobs within what an operator can tell apart. */
const REQUESTS_PER_JOB = 6;

export async function startProbe(options: ProbeOptions): Promise<Probe> {
  const clock = options.clock ?? systemClock;
  const { target, logger, location, version } = options;
  const metrics = createMetrics(location);
  const board = new StatusBoard({
    startedAtMs: clock.nowMs(),
    location,
    baseUrl: target.baseUrl,
    version,
    links: target.probe?.links ?? { runbook: null, dashboard: null },
  });
  let server: ProbeServer | null = null;
  const emit: Emit = (event) => {
    spread(event, metrics, board, logger);
    if (event.type !== "request") server?.changed();
  };
  initialise(metrics, options);
  const stop = new AbortController();
  const opened = await openParts(options, clock, emit, stop.signal);
  const { parts, closeReceiver } = opened;
  const fleet = new Fleet(parts, options.random ?? Math.random);
  const shown = new Set<string>();
  const show = (canaries: readonly Canary[]) => {
    // What stays through a reload keeps its figures.
    const fresh = canaries.filter((each) => !shown.has(JSON.stringify(each)));
    for (const each of fresh) shown.add(JSON.stringify(each));
    initialiseCanaries(metrics, fresh);
    board.show(canaries);
  };
  show(canariesOf(target));
  fleet.use(target);
  metrics.beforeScrape(() => refreshGauges(metrics, board, parts, fleet.ceilings));
  server = await startServer({
    listen: options.listen,
    bearerToken: options.bearerToken,
    scrape: (accept) => metrics.scrape(accept),
    view: () => board.view(clock.nowMs()),
    unready: () => (parts.journal.writable ? [] : ["the journal can't be written"]),
  });
  fleet.resume(canariesOf(target));
  parts.desk?.start(stop.signal);
  const endHousekeeping = startHousekeeping(parts);
  return {
    address: server.address,
    once: () => fleet.once(),
    start() {
      fleet.start();
      void runApiChecks(parts);
    },
    reload(next) {
      checkReload(parts.target, next);
      fleet.use(next);
      show(canariesOf(next));
      emit({ type: "reload", ok: true, why: null, atMs: clock.nowMs() });
    },
    reloadFailed: (why) => emit({ type: "reload", ok: false, why, atMs: clock.nowMs() }),
    async close(graceMs) {
      await fleet.drain(graceMs);
      stop.abort();
      endHousekeeping();
      await fleet.ended();
      await Promise.all([closeReceiver(), parts.client.close(), server?.close()]);
      parts.journal.close();
    },
  };
}

function spread(event: ProbeEvent, metrics: Metrics, board: StatusBoard, logger: Logger): void {
  recordEvent(metrics, event);
  board.apply(event);
  logEvent(logger, event);
}

function initialise(metrics: Metrics, { target, version }: ProbeOptions): void {
  initialiseMetrics(metrics, version);
  initialiseObjectives(metrics, objectivesOf(target.slo));
}

async function openParts(options: ProbeOptions, clock: Clock, emit: Emit, signal: AbortSignal) {
  const { target, secrets, stateDir } = options;
  const key = keyOf(target, secrets);
  const { baseUrl } = target;
  const onFailure = (what: JournalFailure, why: string) =>
    emit({ type: "journal-failed", what, why });
  const onRecovered = () => emit({ type: "journal-recovered" });
  const journal = openJournal({ stateDir, baseUrl, onFailure, onRecovered }, clock.nowMs());
  const receiver = await openReceiver(target, secrets);
  const client = createPacedClient({
    client: createClient({ baseUrl, key: { name: key.name, value: key.value }, clock }),
    pacer: new Pacer(key, target.probe?.rateShare ?? null),
    clock,
    emit,
  });
  const parts: Parts = {
    target,
    clock,
    client,
    journal,
    desk: receiver === null ? null : openDeliveryDesk(receiver.arrivals, emit),
    knowledge: new Knowledge(),
    prices: newPriceList(),
    emit,
    requestsPerJob: target.probe?.requestsPerJob ?? REQUESTS_PER_JOB,
    signal,
  };
  return { parts, closeReceiver: async () => receiver?.close() };
}

async function openReceiver({ webhook }: Target, secrets: Secrets) {
  if (webhook === null) return null;
  const { header, scheme, secretEnv } = webhook.signature;
  const secret = secretEnv === null ? null : (secrets.get(secretEnv) ?? null);
  const receiver = await startReceiver({
    listen: webhook.listen,
    publicUrl: webhook.publicUrl,
    tokenPrefix: TOKEN_PREFIX,
    signature: { header, scheme, secret },
  });
  const { arrivals, forget } = receiver;
  return {
    arrivals: { publicUrl: receiver.access.publicUrl, arrivals, forget },
    close: () => receiver.close(),
  };
}

function keyOf({ keys, probe }: Target, secrets: Secrets) {
  const active = keys.filter(({ state }) => state === "active");
  const named = probe?.key ?? null;
  const roomiest = active.toSorted((a, b) => (b.sustained ?? 0) - (a.sustained ?? 0))[0];
  const key = named === null ? roomiest : active.find(({ name }) => name === named);
  const value = key === undefined ? undefined : secrets.get(key.env);
  if (key !== undefined && value !== undefined) return { ...key, value };
  const which = named === null ? "no key is active" : `key "${named}" is not active`;
  throw new Error(`${which} or has no value; expected one for the probe`);
}

/** What is bound to sockets, keys and journal can't change under the jobs in flight. */
function checkReload(current: Target, next: Target): void {
  for (const part of ["baseUrl", "keys", "webhook"] as const) {
    if (JSON.stringify(current[part]) === JSON.stringify(next[part])) continue;
    throw new Error(`${part} changed, which takes a restart; expected the same as before`);
  }
}
