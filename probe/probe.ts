/** Assembles the probe: schedules, client, receiver, journal, metrics and server as one process. */

import type { Logger } from "pino";
import { isLoopbackHost } from "../contract/requests/loopback.ts";
import type { Target } from "../contract/target.ts";
import type { Secret, Secrets } from "../contract/text/secret.ts";
import type { Canary } from "./canary/canary.ts";
import { canariesOf } from "./canary/canary.ts";
import { objectivesOf } from "./canary/service-levels.ts";
import type { PacedClient } from "./client/paced-client.ts";
import type { Clock } from "./clock.ts";
import { sleepUntil } from "./clock.ts";
import type { Emit, ProbeEvent, Settled } from "./events.ts";
import {
  initialiseCanaries,
  initialiseMetrics,
  initialiseObjectives,
  showCanary,
} from "./metrics/initial.ts";
import { recordEvent } from "./metrics/record.ts";
import type { Metrics } from "./metrics/registry.ts";
import { createMetrics } from "./metrics/registry.ts";
import { runApiChecks } from "./operation/api-checks.ts";
import { Fleet } from "./operation/fleet.ts";
import { refreshGauges } from "./operation/gauges.ts";
import { startHousekeeping } from "./operation/housekeeping.ts";
import { logEvent } from "./operation/log.ts";
import { openParts } from "./operation/parts.ts";
import { takeTarget } from "./operation/reload.ts";
import type { Parts } from "./operation/runs/run.ts";
import { systemPorts } from "./ports.ts";
import type { ProbeServer, ServerParts } from "./server/server.ts";
import { startServer } from "./server/server.ts";
import { StatusBoard } from "./server/status-board.ts";
import type { Pause, StatusView } from "./server/view.ts";

export interface ProbeOptions {
  target: Target;
  secrets: Secrets;
  stateDir: string;
  /** A person says that what is not known to be spent may be left out of the account. */
  acceptUnknownSpending?: boolean;
  /** null: serves nothing, for one round of runs that may be made beside another probe. */
  listen: { host: string; port: number } | null;
  /** Tells several probes of one service apart. */
  location: string;
  /** Further labels of all its metrics, which the operator gave. */
  labels?: Readonly<Record<string, string>>;
  bearerToken: Secret | null;
  /** Names by which the status page may be asked for, beside addresses. */
  allowedHosts: readonly string[];
  version: string;
  logger: Logger;
}

export interface Probe {
  /** Where metrics and the status page are; empty where nothing is served. */
  address: string;
  /** Runs each canary once and gives back how; null for one that was not started. */
  once(): Promise<ReadonlyMap<string, Settled | null>>;
  /** Starts the schedules. */
  start(): void;
  /** What the status page shows now. */
  view(): StatusView;
  /** The metrics as they are now, in the format that `accept` names. */
  scrape(accept: string): Promise<{ contentType: string; text: string }>;
  /** Takes another version of the target; throws, and keeps the old one, where it can't. */
  reload(target: Target): void;
  /** Reports that a changed file was not taken. */
  reloadFailed(why: string): void;
  /** Waits for jobs in flight at most so long; the journal keeps the others. */
  close(graceMs: number): Promise<void>;
}

function metricsOf({ location, labels, target }: ProbeOptions, clock: Clock): Metrics {
  const driftMs = () => clock.wallMs() - clock.nowMs();
  return createMetrics({ ...labels, location }, driftMs, target.probe?.legacyMetrics ?? false);
}

export async function startProbe(options: ProbeOptions, ports = systemPorts()): Promise<Probe> {
  const { clock } = ports;
  const { target } = options;
  const metrics = metricsOf(options, clock);
  if (options.listen !== null) metrics.watchProcess();
  const board = newBoard(options, clock);
  let server: ProbeServer | null = null;
  const { show, notice } = shower(metrics, board);
  const emit: Emit = (event) => {
    spread(event, metrics, board, options);
    notice(event);
    if (event.type !== "request") server?.changed();
  };
  initialise(metrics, options);
  const stop = new AbortController();
  const opened = await openParts(options, { ports, emit, signal: stop.signal });
  const { parts } = opened;
  const fleet = new Fleet(parts, ports.random);
  show(target);
  fleet.use(target);
  metrics.beforeScrape(() => refreshGauges(metrics, board, parts, fleet.ceilings));
  const scrape = (accept: string) => metrics.scrape(accept);
  const view = () => board.view(clock.nowMs(), pauseOf(parts.client));
  if (options.listen !== null) {
    const shown = { scrape, view, unready: opened.unready };
    server = await serve({ ...options, ...shown, listen: options.listen }, parts);
  }
  warnOfOpenDoors(options);
  fleet.resume(canariesOf(target));
  parts.desk?.start(stop.signal);
  parts.lag.start(stop.signal);
  const endHousekeeping = startHousekeeping(parts);
  const endWatch = ports.watchMachine((what) => {
    if (what.sleptMs > 0) fleet.noticeGap(what.sleptMs);
    emit({ type: "disturbance", ...what });
  });
  return {
    address: server?.address ?? "",
    once: () => fleet.once(),
    view,
    scrape,
    start() {
      fleet.start();
      void runApiChecks(parts);
    },
    reload(next) {
      takeTarget(opened, next);
      fleet.use(next);
      initialiseObjectives(metrics, objectivesOf(next.slo));
      show(next);
      emit({ type: "reload", ok: true, why: null, atMs: clock.nowMs() });
    },
    reloadFailed: (why) => emit({ type: "reload", ok: false, why, atMs: clock.nowMs() }),
    async close(graceMs) {
      if (stop.signal.aborted) return;
      await fleet.drain(graceMs);
      stop.abort();
      endWatch();
      endHousekeeping();
      await endRuns(fleet, parts.client, clock);
      await server?.close();
      await closeParts(parts);
    },
  };
}

function pauseOf({ pausedUntilMs, askedMs }: PacedClient): Pause {
  return { untilMs: pausedUntilMs, askedMs };
}

/** Throws where it can't listen; nothing of the probe is held then. */
async function serve(options: ServerParts, parts: Parts): Promise<ProbeServer> {
  try {
    return await startServer(options);
  } catch (error) {
    await parts.client.close();
    await closeParts(parts);
    throw error;
  }
}

/** What others may hold from then on: the address for webhooks, and the journal. */
async function closeParts({ desk, journal }: Parts): Promise<void> {
  await desk?.close();
  journal.close();
}

/** Ours: an answer under way is there by then, or a silent service would hold up the end. */
const ANSWERS_MS = 1_000;

/** Runs that have been told to stop wait for nothing but answers. */
async function endRuns(fleet: Fleet, client: PacedClient, clock: Clock): Promise<void> {
  const ended = fleet.ended();
  const enough = new AbortController();
  await Promise.race([ended, sleepUntil(clock, clock.nowMs() + ANSWERS_MS, enough.signal)]);
  enough.abort();
  await client.close();
  await ended;
}

function newBoard({ target, location, version }: ProbeOptions, clock: Clock): StatusBoard {
  const { baseUrl } = target;
  const facts = { startedAtMs: clock.nowMs(), location, baseUrl, version };
  return new StatusBoard(facts, () => clock.nowMs(), target.trace);
}

function spread(
  event: ProbeEvent,
  metrics: Metrics,
  board: StatusBoard,
  { logger, target }: ProbeOptions,
): void {
  recordEvent(metrics, event);
  board.apply(event);
  logEvent(logger, event, target.trace != null);
}

function initialise(metrics: Metrics, { target, version }: ProbeOptions): void {
  const method = target.cancel?.method ?? null;
  initialiseMetrics(metrics, { version, cancelMethod: method === "auto" ? null : method });
  initialiseObjectives(metrics, objectivesOf(target.slo));
}

interface Shower {
  show(target: Target): void;
  /** Runs of the journal's may be of canaries that went before this process began. */
  notice(event: ProbeEvent): void;
}

/** Shows a target's canaries; what stays through a reload keeps its figures. */
function shower(metrics: Metrics, board: StatusBoard): Shower {
  const known = new Set<string>();
  let shown = new Set<string>();
  const gone = new Set<string>();
  // A run that is under way when its canary goes sets its gauges once more.
  metrics.beforeScrape(() => {
    for (const name of gone) metrics.forgetCanary(name);
  });
  const show = (target: Target) => {
    const canaries: readonly Canary[] = canariesOf(target);
    const kind = ({ name, workerId, expected }: Canary) => `${name} ${workerId} ${expected}`;
    const fresh = canaries.filter((each) => !known.has(kind(each)));
    for (const each of fresh) known.add(kind(each));
    initialiseCanaries(metrics, fresh);
    for (const each of canaries) showCanary(metrics, each, !shown.has(each.name));
    for (const name of shown) gone.add(name);
    shown = new Set(canaries.map(({ name }) => name));
    for (const name of shown) gone.delete(name);
    board.show(canaries, target.probe?.links ?? { runbook: null, dashboard: null });
  };
  return {
    show,
    notice(event) {
      if (event.type !== "run-remembered" && event.type !== "run-settled") return;
      if (!shown.has(event.run.canary)) gone.add(event.run.canary);
    },
  };
}

/** The page and the metrics name workers and jobs, and are no business of the whole network's. */
function warnOfOpenDoors({ listen, bearerToken, logger }: ProbeOptions): void {
  if (listen === null || bearerToken !== null || isLoopbackHost(listen.host)) return;
  logger.warn(
    { event: "open-door", listen: listen.host },
    `anyone who reaches ${listen.host} can read metrics and status page; expected a bearer token`,
  );
}
