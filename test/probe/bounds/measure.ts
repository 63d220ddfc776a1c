/** Runs canaries side by side on the embedded service, and holds their bounds against truth. */

import { setTimeout as pause } from "node:timers/promises";
import type { Source, Transition } from "../../../contract/timeline/transitions.ts";
import type { Canary } from "../../../probe/canary/canary.ts";
import type { ProbeEvent } from "../../../probe/events.ts";
import { openParts } from "../../../probe/operation/parts.ts";
import { startRun } from "../../../probe/operation/runs/canary-run.ts";
import type { Parts } from "../../../probe/operation/runs/run.ts";
import { systemPorts } from "../../../probe/ports.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import type { ReferenceService } from "../../../reference/service.ts";
import { startReference } from "../../../reference/service.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { normal, seededRandom } from "../tracker/random.ts";
import { MachineClock } from "./machine-clock.ts";
import type { Truth, VaryingProxy } from "./proxy.ts";
import { startProxy } from "./proxy.ts";

export interface Setting {
  name: string;
  /** By which share the durations vary; normally distributed. */
  variation: number;
  hidesTimes: boolean;
  webhook: boolean;
  /** Seconds that the jobs of each canary take on average. */
  meanSeconds: readonly number[];
  /** Jobs of each canary that are under way at once. */
  sideBySide: number;
  /** For how long jobs are started. */
  forMs: number;
  seed: number;
}

/** One transition as it was published, and whether the truth lay inside. */
export interface Measured {
  to: "running" | "end";
  source: Source;
  widthMs: number;
  isInside: boolean;
  canary: string;
  /** Number of the job among its canary's. */
  index: number;
  /** From the submission to the true end. */
  durationMs: number;
  /** Polls of the job, failed ones among them. */
  polls: number;
}

const DEADLINE_MS = 60_000;

export async function measure(setting: Setting): Promise<readonly Measured[]> {
  const bench = await openBench(setting);
  const perCanary = setting.meanSeconds.map((seconds) => followMany(bench, setting, seconds));
  const measured = (await Promise.all(perCanary)).flat();
  await bench.close();
  return measured;
}

interface Bench {
  parts: Parts;
  proxy: VaryingProxy;
  machine: MachineClock;
  /** What was reported, by run. */
  transitions: Map<string, Transition[]>;
  close(): Promise<void>;
}

/** The service, the proxy before it, and the probe's parts. */
async function openBench(setting: Setting): Promise<Bench> {
  const service = await startReference({ timeScale: 1, seed: setting.seed });
  const random = seededRandom(setting.seed);
  const proxy = await startProxy(service.baseUrl, {
    seconds: (asked) => Math.max(0.1, asked * (1 + setting.variation * normal(random))),
    hidesTimes: setting.hidesTimes,
  });
  const state = await temporaryFolder();
  const { target, secrets } = targetOf(service, proxy.baseUrl, setting.webhook);
  const ports = systemPorts();
  const stop = new AbortController();
  const transitions = new Map<string, Transition[]>();
  const emit = (event: ProbeEvent) => {
    if (event.type !== "transition") return;
    const { runId } = event.run;
    transitions.set(runId, [...(transitions.get(runId) ?? []), event.transition]);
  };
  const { parts } = await openParts(
    { target, secrets, stateDir: state.path },
    { ports, emit, signal: stop.signal },
  );
  parts.desk?.start(stop.signal);
  const machine = new MachineClock(ports.clock);
  const close = async () => {
    machine.stop();
    stop.abort();
    await Promise.all([parts.client.close(), parts.desk?.close()]);
    parts.journal.close();
    await Promise.all([proxy.close(), service.close(), state[Symbol.asyncDispose]()]);
  };
  return { parts, proxy, machine, transitions, close };
}

function targetOf(service: ReferenceService, baseUrl: string, webhook: boolean) {
  const { target, secrets } = embeddedTarget(service);
  const probe = { ...PROBE_PLAN, key: "big" };
  return {
    target: { ...target, baseUrl, webhook: webhook ? target.webhook : null, probe },
    secrets,
  };
}

/** Jobs of one canary, so many at once, one after the other. */
async function followMany(
  { parts, proxy, machine, transitions }: Bench,
  { webhook, sideBySide, forMs }: Setting,
  seconds: number,
): Promise<readonly Measured[]> {
  const canary = canaryOf(seconds, webhook);
  const measured: Measured[] = [];
  const untilMs = parts.clock.nowMs() + forMs;
  let started = 0;
  const chain = async (_: unknown, number: number) => {
    await pause((number * seconds * 1_000) / sideBySide);
    while (parts.clock.nowMs() < untilMs) {
      const index = started;
      started += 1;
      const followed = await followOne(parts, canary);
      const truth = proxy.truths.get(followed?.jobId ?? "");
      if (followed === null || truth === undefined) continue;
      const published = transitions.get(followed.runId) ?? [];
      const facts = { ...followed, canary: canary.name, index };
      measured.push(...heldAgainst(published, truth, facts, machine));
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, chain));
  return measured;
}

async function followOne(parts: Parts, canary: Canary) {
  const started = await startRun(parts, canary, { day: null, month: null });
  if (!("run" in started)) return null;
  const settled = await started.settled;
  if (settled === null) return null;
  const { run } = started;
  const { jobId, intent, pollCount: polls } = run;
  const { submittedAtMs } = settled;
  return { runId: intent.runId, jobId, submittedAtMs, polls };
}

function heldAgainst(
  published: readonly Transition[],
  truth: Truth,
  facts: { canary: string; index: number; submittedAtMs: number; polls: number },
  machine: MachineClock,
): Measured[] {
  const end = machine.placed(truth.end);
  const { canary, index, polls, submittedAtMs } = facts;
  const durationMs = end.lowMs - submittedAtMs;
  return published.flatMap(({ to, at, source }): Measured[] => {
    if (to === "starting" || to === "queued") return [];
    const name = to === "running" ? "running" : "end";
    const { lowMs, highMs } = machine.placed(truth[name]);
    const isInside = lowMs <= at.highMs && at.lowMs <= highMs;
    const widthMs = at.highMs - at.lowMs;
    return [{ to: name, source, widthMs, isInside, canary, index, durationMs, polls }];
  });
}

function canaryOf(seconds: number, webhook: boolean): Canary {
  return {
    name: `sleep-${seconds}`,
    part: "slow",
    // It lets more run at once than the other one, for 20 s at most.
    workerId: "sleep-short",
    input: { seconds },
    marker: null,
    everyMs: DEADLINE_MS,
    jitterShare: 0,
    deadlineMs: DEADLINE_MS,
    webhook,
    expected: "completed",
    overlapMax: 1,
  };
}
