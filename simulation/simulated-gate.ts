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
import type { Fault } from "../reference/faults/fault.ts";
import type { GivenOptions } from "../reference/options.ts";
import type { K6Run } from "../runner/run-k6.ts";
import { SCENARIOS } from "../scenarios/catalogue.ts";
import { contractScenario } from "../scenarios/contract/scenario.ts";
import { rateLimitScenario } from "../scenarios/rate-limit/scenario.ts";
import { soakScenario } from "../scenarios/soak/scenario.ts";
import { timeoutScenario } from "../scenarios/timeout/scenario.ts";
import { webhookScenario } from "../scenarios/webhook/scenario.ts";
import type { Scenario } from "../scenarios/world/scenario.ts";
import { runScenario } from "../scenarios/world/scenario.ts";
import type { Draw } from "./chance.ts";
import { stream } from "./chance.ts";
import type { Route, Serve } from "./http.ts";
import { originOf } from "./http.ts";
import type { K6Process } from "./k6-process.ts";
import { startK6 } from "./k6-process.ts";
import { Machine } from "./machine.ts";
import { ConnectionPool, hostOf, LOOPBACK, Network } from "./network.ts";
import type { SimulatedService } from "./service.ts";
import { openService } from "./service.ts";
import { staleViews, withStaleViews } from "./stale-views.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { poster } from "./webhook-post.ts";
import { SimulatedReceiver } from "./webhook-receiver.ts";
import { simulatedNet } from "./witness-net.ts";
import type { Surroundings } from "./worlds.ts";
import { SURROUNDINGS } from "./worlds.ts";

export interface Simulation {
  seed: number;
  surroundings?: Surroundings;
  service?: GivenOptions;
  /** Faults that are not in the catalogue; switched on by name like others. */
  otherFaults?: readonly Fault[];
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

/** When each run begins: any fixed time will do. */
const START_MS = Date.UTC(2026, 0, 1, 12, 0, 0);
/** Ours: longer than any profile; a run that takes longer hangs. */
const LIMIT_MS = 4 * 3_600_000;
const TOKEN_PREFIX = "run-of-a-simulation-";

export async function simulateGate(simulation: Simulation): Promise<RunResult> {
  const { seed, profile = "standard", only = null } = simulation;
  const scene = openScene(simulation);
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

/** What takes part in one simulated run. */
interface Scene {
  clock: VirtualClock;
  chance: (name: string) => Draw;
  /** The machine of gate, k6 and receiver. */
  suite: Machine;
  network: Network;
  service: SimulatedService;
  /** null until the gate opens it. */
  receiver: SimulatedReceiver | null;
  k6Started: number;
}

function openScene(simulation: Simulation): Scene {
  const { seed, surroundings = SURROUNDINGS.quiet, otherFaults = [] } = simulation;
  const { clockOffsetMs, clockDrift, viewLagMsMax, senderWaysMs } = surroundings;
  const clock = new VirtualClock(START_MS + (seed % 1_000));
  const chance = (name: string) => stream(seed, name);
  const network = new Network(clock, surroundings.network, chance("network"));
  const senders = { waysMs: senderWaysMs, draw: chance("webhook senders") };
  const service = openService({
    given: withStaleViews({ seed, ...simulation.service }, viewLagMsMax),
    otherFaults: [...otherFaults, staleViews(chance("replicas"), viewLagMsMax)],
    machine: new Machine(clock, surroundings.service, chance("service's machine")),
    clockOffsetMs,
    clockDrift,
    draw: chance("service"),
    post: poster(network, senders, () => scene.receiver),
    host: hostOf(surroundings.network, "service"),
  });
  const suite = new Machine(clock, surroundings.suite, chance("suite's machine"));
  const scene: Scene = { clock, chance, suite, network, service, receiver: null, k6Started: 0 };
  return scene;
}

function portsOf(scene: Scene, record: EvidenceSink | undefined): GatePorts {
  const { clock, suite } = scene;
  return {
    nowMs: () => clock.nowMs(),
    openReceiver: async (target, secrets) => openReceiver(scene, target, secrets),
    runScenario: (order) => runToEnd(order, startScenario(scene, order), clock),
    net: simulatedNet(suite, toService(scene)),
    ...(record === undefined ? {} : { record }),
  };
}

function openReceiver(scene: Scene, { webhook }: Target, secrets: Secrets): OpenReceiver {
  if (webhook === null) throw new Error("the simulated target has no webhook section");
  const { header, scheme, secretEnv } = webhook.signature;
  const secret = secretEnv === null ? null : (secrets.get(secretEnv) ?? null);
  const receiver = new SimulatedReceiver(scene.suite, {
    host: hostOf(scene.network.model, "receiver"),
    tokenPrefix: TOKEN_PREFIX,
    signature: { header, scheme, secret },
  });
  scene.receiver = receiver;
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

/** A client's way to the service, with connections of its own. */
function toService({ network, service }: Scene): Route {
  return { network, pool: new ConnectionPool(network), serve: service.serve };
}

function startScenario(scene: Scene, { secrets, onRecord }: ScenarioOrder): K6Process {
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
