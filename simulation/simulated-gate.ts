/**
 * A whole gate run in one process on virtual time: planning, scenarios, receiver and service are
 * the real ones; k6, network, machines and chance are models. Same seed, same run.
 */

import type { RunResult } from "../contract/run-result.ts";
import type { Target } from "../contract/target.ts";
import { runGate } from "../gate/gate.ts";
import type { GateOptions, GateScenario } from "../gate/options.ts";
import type { GatePorts, ScenarioOrder } from "../gate/ports.ts";
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
import { stream } from "./chance.ts";
import type { Route } from "./http.ts";
import { originOf } from "./http.ts";
import { startK6 } from "./k6-process.ts";
import { Machine } from "./machine.ts";
import { ConnectionPool, LOOPBACK, Network } from "./network.ts";
import { openService, SERVICE_URL } from "./service.ts";
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

export async function simulateGate(simulation: Simulation): Promise<RunResult> {
  const { seed, surroundings = SURROUNDINGS.quiet, profile = "standard" } = simulation;
  const clock = new VirtualClock(START_MS + (seed % 1_000));
  const chance = (name: string) => stream(seed, name);
  const suite = new Machine(clock, surroundings.suite, chance("suite's machine"));
  const host = new Machine(clock, surroundings.service, chance("service's machine"));
  const way = () => new Network(clock, surroundings.network, chance("network"));
  const near = new Network(clock, LOOPBACK, chance("loopback"));
  const network = way();
  const post = poster(network, () => receiver);
  const { clockOffsetMs, clockDrift } = surroundings;
  const service = openService({
    given: { seed, ...simulation.service },
    otherFaults: simulation.otherFaults ?? [],
    machine: host,
    clockOffsetMs,
    clockDrift,
    draw: chance("service"),
    post,
  });
  const { target: embedded, secrets } = embeddedTarget(service);
  const target = simulation.target?.(embedded) ?? embedded;
  let receiver: SimulatedReceiver | null = null;
  let started = 0;
  const toService = (): Route => ({ network, pool: new ConnectionPool(), serve: service.serve });
  const ports: GatePorts = {
    nowMs: () => clock.nowMs(),
    openReceiver: async ({ webhook }) => {
      if (webhook === null) throw new Error("the simulated target has no webhook section");
      const { header, scheme, secretEnv } = webhook.signature;
      const secret = secretEnv === null ? null : (secrets.get(secretEnv) ?? null);
      const opened = new SimulatedReceiver(suite, "run-of-a-simulation-", {
        header,
        scheme,
        secret,
      });
      receiver = opened;
      return {
        access: opened.access,
        missing: null,
        isSurelyReached: true,
        hasDelivery: async (token) => (await opened.deliveries(token)).length > 0,
        close: async () => {},
      };
    },
    async runScenario(order) {
      const routes = new Map([[originOf(SERVICE_URL), toService()]]);
      const asked = receiver;
      if (asked !== null) {
        const serve: Route["serve"] = (request, reply) => asked.query(request, reply);
        routes.set(asked.access.queryUrl, { network: near, pool: new ConnectionPool(), serve });
      }
      started += 1;
      const draw = chance(`k6 ${started}`);
      const setup = {
        machine: suite,
        draw,
        environment: secrets,
        routes,
        onRecord: order.onRecord,
      };
      return await runToEnd(order, startK6(setup), clock);
    },
    net: simulatedNet(suite, toService()),
  };
  const options: GateOptions = {
    target,
    secrets,
    profile,
    only: simulation.only ?? null,
    seed,
    outputDir: "",
    k6: { path: "", version: "simulated" },
    scenarios: scenariosOf(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
  };
  return await clock.run(runGate(options, ports), LIMIT_MS);
}

function scenariosOf(): readonly GateScenario[] {
  return SCENARIOS.map(({ name, promises, jobs }) => ({ name, script: name, promises, jobs }));
}

/** Ends as k6 does: by itself, or when its time is over. */
async function runToEnd(
  { scenario, plan, timeLimitMs }: ScenarioOrder,
  { world, records }: ReturnType<typeof startK6>,
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
