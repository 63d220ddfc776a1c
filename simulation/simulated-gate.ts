/**
 * A whole gate run in one process on virtual time: planning, scenarios, receiver and service are
 * the real ones; k6, network, machines and chance are models. Same seed, same run.
 */

import type { RunResult } from "../contract/run-result.ts";
import type { Secrets, Target } from "../contract/target.ts";
import type { EvidenceSink } from "../gate/evidence-file.ts";
import { runGate } from "../gate/gate.ts";
import type { GateOptions, GateScenario } from "../gate/options.ts";
import type { GatePorts, ScenarioOrder } from "../gate/ports.ts";
import type { OpenReceiver } from "../gate/webhook-receiver.ts";
import { embeddedTarget } from "../reference/embedded-target.ts";
import type { K6Run } from "../runner/run-k6.ts";
import { SCENARIOS } from "../scenarios/catalogue.ts";
import type { Serve } from "./http.ts";
import { originOf } from "./http.ts";
import { loadAsK6 } from "./k6-context.ts";
import type { K6Process } from "./k6-process.ts";
import { startK6 } from "./k6-process.ts";
import type * as K6Scenarios from "./k6-scenarios.ts";
import { ConnectionPool, LOOPBACK, Network } from "./network.ts";
import type { Scene, Setting } from "./scene.ts";
import { openScene, placeReceiver, toService } from "./scene.ts";
import { simulatedNet } from "./witness-net.ts";
import type { Surroundings } from "./worlds.ts";
import { SURROUNDINGS } from "./worlds.ts";

export interface Simulation extends Setting {
  profile?: GateOptions["profile"];
  only?: GateOptions["only"];
  /** Changes the embedded service's own target. */
  target?: (target: Target) => Target;
  /** Takes what a gate writes to its file of evidence. */
  record?: EvidenceSink;
}

/** Loaded once a process, which takes about 0.1 s; nothing in scenarios outlives a run. */
let loaded: Promise<typeof K6Scenarios> | null = null;

/** Ours: longer than any profile; a run that takes longer hangs. */
const LIMIT_MS = 4 * 3_600_000;
const TOKEN_PREFIX = "run-of-a-simulation-";

export async function simulateGate(simulation: Simulation): Promise<RunResult> {
  const { seed, profile = "standard", only = null } = simulation;
  loaded ??= loadAsK6<typeof K6Scenarios>("k6-scenarios.ts");
  const k6: typeof K6Scenarios = await loaded;
  const scene: GateScene = Object.assign(openScene(simulation), { k6, k6Started: 0 });
  const { target: embedded, secrets } = embeddedTarget(scene.service);
  const target = withObjective(embedded, simulation.surroundings ?? SURROUNDINGS.quiet);
  const options: GateOptions = {
    target: simulation.target?.(target) ?? target,
    secrets,
    profile,
    only,
    seed,
    outputDir: "",
    k6: { path: "", version: "simulated" },
    scenarios: scenariosOf(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
  };
  return await scene.clock.run(runGate(options, portsOf(scene, simulation.record)), LIMIT_MS);
}

function withObjective(target: Target, { errorShareMax }: Surroundings): Target {
  const { load } = target;
  if (load === null) return target;
  const objectives = { ...load.objectives, errorShare: errorShareMax };
  return { ...target, load: { ...load, objectives } };
}

interface GateScene extends Scene {
  /** The code that k6 runs. */
  k6: typeof K6Scenarios;
  k6Started: number;
}

function portsOf(scene: GateScene, record: EvidenceSink | undefined): GatePorts {
  const { clock, suite } = scene;
  return {
    nowMs: () => clock.nowMs(),
    openReceiver: async (target, secrets) => openReceiver(scene, target, secrets),
    runScenario: (order) => runToEnd(scene, order, startScenario(scene, order)),
    net: simulatedNet(suite, toService(scene)),
    ...(record === undefined ? {} : { record }),
  };
}

function openReceiver(scene: Scene, { webhook }: Target, secrets: Secrets): OpenReceiver {
  if (webhook === null) throw new Error("the simulated target has no webhook section");
  const receiver = placeReceiver(scene, { webhook, secrets, tokenPrefix: TOKEN_PREFIX });
  return {
    access: receiver.access,
    secrets: new Map([[receiver.access.querySecretEnv, "a simulated receiver asks for no more"]]),
    missing: null,
    isSurelyReached: true,
    hasDelivery: async (token) => (await receiver.deliveries(token)).length > 0,
    hasVouchedDelivery: (token) => receiver.hasVouched(token),
    close: async () => {},
  };
}

function startScenario(scene: GateScene, { secrets, onRecord }: ScenarioOrder): K6Process {
  const { clock, suite, chance, receiver, service } = scene;
  const routes = new Map([[originOf(service.baseUrl), toService(scene)]]);
  if (receiver !== null) {
    const network = new Network(clock, LOOPBACK, chance("loopback"));
    const serve: Serve = (request, reply) => receiver.query(request, reply);
    routes.set(receiver.access.queryUrl, { network, pool: new ConnectionPool(network), serve });
  }
  scene.k6Started += 1;
  const draw = chance(`k6 ${scene.k6Started}`);
  return startK6({ machine: suite, draw, environment: secrets, routes, onRecord });
}

function scenariosOf(): readonly GateScenario[] {
  return SCENARIOS.map(({ name, promises, jobs }) => ({ name, script: name, promises, jobs }));
}

/** Ends as k6 does: by itself, or when its time is over. */
async function runToEnd(
  { k6, clock }: GateScene,
  { scenario, plan, timeLimitMs }: ScenarioOrder,
  { world, records }: K6Process,
): Promise<K6Run> {
  const startMs = clock.nowMs();
  const work = k6.runScenario(k6.scenarioNamed(scenario.name), world, plan).then(() => false);
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const callOff = clock.after(timeLimitMs, () => resolve(true));
  const timedOut = await Promise.race([work, over]);
  callOff();
  return {
    exitCode: timedOut ? null : 0,
    timedOut,
    interrupted: false,
    records,
    dropped: 0,
    stderrTail: "",
    durationMs: clock.nowMs() - startMs,
  };
}
