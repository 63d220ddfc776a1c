/**
 * The probe in one process on virtual time, for days on end: its schedules, runs, polls, judges,
 * budget, journal and metrics are the real ones, and so is the service's core; machines, network,
 * chance and the disk below SQLite are models. Same seed, same history.
 */

import type { DatabaseSync } from "node:sqlite";
import { decodeAccepted } from "../contract/decode/accepted.ts";
import type { CanaryPlan, Target } from "../contract/target.ts";
import { createLogger } from "../probe/operation/log.ts";
import { startProbe } from "../probe/probe.ts";
import { hostOf, LOOPBACK } from "./network.ts";
import type { ProbeProcess } from "./probe-process.ts";
import { startProbeProcess } from "./probe-process.ts";
import type { Scene, Setting } from "./scene.ts";
import { openScene } from "./scene.ts";
import { PORTS } from "./webhook-receiver.ts";

export interface ProbeSimulation extends Setting {
  durationMs: number;
  /** Left out: those that a target without canaries of its own has. */
  canaries?: readonly CanaryPlan[];
  /** Changes the service's own target. */
  target?: (target: Target) => Target;
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
const GRACE_MS = 600_000;

export async function simulateProbe(simulation: ProbeSimulation): Promise<ProbeHistory> {
  const scene = openScene(simulation);
  const process = startProbeProcess(scene);
  try {
    const limitMs = simulation.durationMs + 2 * GRACE_MS;
    return await scene.clock.run(watch(scene, process, simulation), limitMs);
  } finally {
    process.leave();
  }
}

async function watch(
  scene: Scene,
  { ports, database }: ProbeProcess,
  { durationMs, canaries, target: change = (target) => target }: ProbeSimulation,
): Promise<ProbeHistory> {
  const { clock } = scene;
  const accepted = witnessJobs(scene);
  const { target, secrets } = targetOf(scene);
  const log: LogLine[] = [];
  const startedAtMs = clock.nowMs();
  const probe = await startProbe(
    {
      target: change(canaries === undefined ? target : { ...target, canaries }),
      secrets,
      stateDir: "",
      listen: null,
      location: "simulated",
      bearerToken: null,
      allowedHosts: [],
      version: "simulated",
      logger: createLogger(
        (line) => log.push({ ...JSON.parse(line), time: undefined, atMs: clock.nowMs() }),
        (text) => text,
      ),
    },
    ports,
  );
  probe.start();
  await clock.sleep(durationMs);
  const { text: metrics } = await probe.scrape("");
  await probe.close(GRACE_MS);
  const { text: lastMetrics } = await probe.scrape("");
  return { startedAtMs, metrics, lastMetrics, log, runs: runsIn(database), accepted };
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
function witnessJobs({ service }: Scene): readonly string[] {
  const accepted: string[] = [];
  const { serve } = service;
  service.serve = (request, reply) =>
    serve(request, (answer) => {
      const isSubmission = request.method === "POST" && request.target.endsWith("/jobs");
      if (isSubmission && answer.status === 202) accepted.push(...issuedIn(answer.body));
      reply(answer);
    });
  return accepted;
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

function runsIn(database: DatabaseSync): readonly RunRow[] {
  return database
    .prepare(
      `SELECT run_id AS runId, canary, phase, job_id AS jobId, outcome,
         intended_at_ms AS intendedAtMs, settled_at_ms AS settledAtMs, jobs, credits, usd
       FROM runs JOIN charges USING (run_id) ORDER BY intended_at_ms`,
    )
    .all() as unknown as readonly RunRow[];
}
