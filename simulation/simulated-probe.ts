/**
 * The probe in one process on virtual time, for days on end: its schedules, runs, polls, judges,
 * budget, journal and metrics are the real ones, and so is the service's core; machines, network,
 * chance and the disk below SQLite are models. Same seed, same history.
 */

import type { DatabaseSync } from "node:sqlite";
import { decodeAccepted } from "../contract/decode/accepted.ts";
import type { CanaryPlan, Target } from "../contract/target.ts";
import { createLogger } from "../probe/operation/log.ts";
import type { ProbePorts } from "../probe/ports.ts";
import type { Probe } from "../probe/probe.ts";
import { startProbe } from "../probe/probe.ts";
import type { StatusView } from "../probe/server/view.ts";
import { hostOf, LOOPBACK } from "./network.ts";
import type { ProbeStorage } from "./probe-process.ts";
import { inMemory, startProbeProcess } from "./probe-process.ts";
import type { Scene, Setting } from "./scene.ts";
import { openScene } from "./scene.ts";
import { PORTS } from "./webhook-receiver.ts";

export interface ProbeSimulation extends Setting {
  durationMs: number;
  /** Left out: those that a target without canaries of its own has. */
  canaries?: readonly CanaryPlan[];
  /** Changes the service's own target. */
  target?: (target: Target) => Target;
  sampling?: Sampling;
}

/** Looks at the probe on its way. Of its log violations alone are kept then: the log grows. */
export interface Sampling {
  everyMs: number;
  take(view: ProbeView): void;
}

export interface ProbeView {
  elapsedMs: number;
  metrics: string;
  page: StatusView;
  journalBytes: number;
  /** Calls that the probe and all around it wait for. */
  pending: number;
}

/** A line of the probe's log. */
export interface LogLine {
  atMs: number;
  event: string;
  msg: string;
  [field: string]: unknown;
}

/** A run as the journal holds it in the end, with what it was charged. */
export interface RunRow {
  runId: string;
  canary: string;
  phase: string;
  jobId: string | null;
  outcome: string | null;
  intendedAtMs: number;
  settledAtMs: number | null;
  jobs: number;
  credits: number;
  usd: number;
}

export interface ProbeHistory {
  startedAtMs: number;
  /** A scrape when the time is over, and one when no run is under way any more. */
  metrics: string;
  lastMetrics: string;
  log: readonly LogLine[];
  runs: readonly RunRow[];
  /** Identifiers of the jobs that the service accepted, whether its answer arrived or not. */
  accepted: readonly string[];
}

/** Ours: longer than any deadline of a canary. */
export const GRACE_MS = 600_000;

export async function simulateProbe(simulation: ProbeSimulation): Promise<ProbeHistory> {
  const scene = openScene(simulation);
  const storage = inMemory();
  try {
    const limitMs = simulation.durationMs + 2 * GRACE_MS;
    return await scene.clock.run(watch(scene, storage, simulation), limitMs);
  } finally {
    storage.leave();
  }
}

async function watch(
  scene: Scene,
  storage: ProbeStorage,
  simulation: ProbeSimulation,
): Promise<ProbeHistory> {
  const { durationMs, sampling } = simulation;
  const { clock } = scene;
  const accepted = witnessJobs(scene);
  const log: LogLine[] = [];
  const startedAtMs = clock.nowMs();
  const ports = startProbeProcess(scene, storage);
  const probe = await openProbe(scene, ports, simulation, (line) => {
    if (sampling === undefined || line.event === "violation") log.push(line);
  });
  probe.start();
  const endMs = startedAtMs + durationMs;
  while (clock.nowMs() < endMs) {
    await clock.sleep(Math.min(sampling?.everyMs ?? durationMs, endMs - clock.nowMs()));
    sampling?.take({
      elapsedMs: clock.nowMs() - startedAtMs,
      metrics: (await probe.scrape("")).text,
      page: probe.view(),
      journalBytes: bytesOf(storage.database()),
      pending: clock.pending,
    });
  }
  const { text: metrics } = await probe.scrape("");
  await probe.close(GRACE_MS);
  const { text: lastMetrics } = await probe.scrape("");
  return {
    startedAtMs,
    metrics,
    lastMetrics,
    log,
    runs: runsIn(storage.database()),
    accepted: accepted.all(),
  };
}

/** The probe as it is when nothing of it has started. */
export function openProbe(
  scene: Scene,
  ports: ProbePorts,
  { canaries, target: change = (target) => target }: ProbeSimulation,
  tell: (line: LogLine) => void,
): Promise<Probe> {
  const { target, secrets } = targetOf(scene);
  const told = (text: string) =>
    tell({ ...JSON.parse(text), time: undefined, atMs: scene.clock.nowMs() });
  const options = {
    target: change(canaries === undefined ? target : { ...target, canaries }),
    secrets,
    stateDir: "",
    listen: null,
    location: "simulated",
    bearerToken: null,
    allowedHosts: [],
    version: "simulated",
    logger: createLogger(told, (text) => text),
  };
  return startProbe(options, ports);
}

/** Not the embedded one. Of one elsewhere the operator vouches that it reaches the receiver. */
function targetOf({ service, network }: Scene) {
  const { target, secrets } = service.target();
  const isElsewhere = network.model !== LOOPBACK;
  const address = `http://${hostOf(network.model, "receiver")}:${PORTS.public}`;
  const publicUrl = isElsewhere ? address : null;
  const webhook = target.webhook === null ? null : { ...target.webhook, publicUrl };
  return { target: { ...target, embedded: false, webhook }, secrets };
}

/** What the service accepts, at its own door. */
export function witnessJobs({ service }: Scene): Texts {
  const accepted = new Texts();
  const { serve } = service;
  service.serve = (request, reply) =>
    serve(request, (answer) => {
      const isSubmission = request.method === "POST" && request.target.endsWith("/jobs");
      if (isSubmission && answer.status === 202) accepted.add(...issuedIn(answer.body));
      reply(answer);
    });
  return accepted;
}

/** Ours: a buffer of so many texts lies outside of the heap. */
const TEXTS_A_BUFFER = 1_000;

/** What a history keeps for its end, outside of the heap: the heap is to tell of the probe. */
class Texts {
  readonly #buffers: Buffer[] = [];
  #last: string[] = [];

  add(...texts: readonly string[]): void {
    this.#last.push(...texts);
    if (this.#last.length < TEXTS_A_BUFFER) return;
    this.#buffers.push(Buffer.from(JSON.stringify(this.#last)));
    this.#last = [];
  }

  all(): readonly string[] {
    return [...this.#buffers.flatMap((each) => JSON.parse(each.toString())), ...this.#last];
  }
}

/** None of an answer that can't be read. */
function issuedIn(text: string): readonly string[] {
  try {
    const id = decodeAccepted(JSON.parse(text)).value?.id;
    return id == null ? [] : [id];
  } catch {
    return [];
  }
}

function bytesOf(database: DatabaseSync): number {
  const number = (name: string) => {
    return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  };
  return number("page_count") * number("page_size");
}

export function runsIn(database: DatabaseSync): readonly RunRow[] {
  return database
    .prepare(
      `SELECT run_id AS runId, canary, phase, job_id AS jobId, outcome,
         intended_at_ms AS intendedAtMs, settled_at_ms AS settledAtMs, jobs, credits, usd
       FROM runs JOIN charges USING (run_id) ORDER BY intended_at_ms`,
    )
    .all() as unknown as readonly RunRow[];
}
