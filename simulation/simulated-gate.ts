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
import { contractScenario } from "../scenarios/contract/scenario.ts";
import { rateLimitScenario } from "../scenarios/rate-limit/scenario.ts";
import { soakScenario } from "../scenarios/soak/scenario.ts";
import { timeoutScenario } from "../scenarios/timeout/scenario.ts";
import { webhookScenario } from "../scenarios/webhook/scenario.ts";
import type { Scenario } from "../scenarios/world/scenario.ts";
import { runScenario } from "../scenarios/world/scenario.ts";
import type { Serve } from "./http.ts";
import { originOf } from "./http.ts";
import type { K6Process } from "./k6-process.ts";
import { startK6 } from "./k6-process.ts";
import { ConnectionPool, LOOPBACK, Network } from "./network.ts";
import type { Scene, Setting } from "./scene.ts";
import { openScene, placeReceiver, toService } from "./scene.ts";
import type { VirtualClock } from "./virtual-clock.ts";
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

const VALUES: readonly Scenario[] = [
  contractScenario,
  timeoutScenario,
  webhookScenario,
  soakScenario,
  rateLimitScenario,
];

function scenarioNamed(name: string): Scenario {
  const found = VALUES.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario is named "${name}"`);
  return found;
}

/** Ours: longer than any profile; a run that takes longer hangs. */
const LIMIT_MS = 4 * 3_600_000;
const TOKEN_PREFIX = "run-of-a-simulation-";

export async function simulateGate(simulation: Simulation): Promise<RunResult> {
  const { seed, profile = "standard", only = null } = simulation;
  const scene: GateScene = Object.assign(openScene(simulation), { k6Started: 0 });
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
  k6Started: number;
}

function portsOf(scene: GateScene, record: EvidenceSink = async () => {}): GatePorts {
  const { clock, suite } = scene;
  return {
    nowMs: () => clock.nowMs(),
    openReceiver: async (target, secrets) => openReceiver(scene, target, secrets),
    runScenario: (order) => runToEnd(order, startScenario(scene, order), clock),
    net: simulatedNet(suite, toService(scene)),
    record,
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
  { scenario, plan, timeLimitMs }: ScenarioOrder,
  { world, records }: K6Process,
  clock: VirtualClock,
): Promise<K6Run> {
  const startMs = clock.nowMs();
  const work = runScenario(scenarioNamed(scenario.name), world, plan).then(() => false);
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
