/** A step of a capacity search on virtual time: scenario and service are the real ones. */

import path from "node:path";
import type { CapacityOptions } from "../../capacity/options.ts";
import { planOf } from "../../capacity/step-plan.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/run/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../../contract/run/capacity-step.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { ROOT } from "../../runner/package-root.ts";
import { capacityScenario } from "../../scenarios/capacity/scenario.ts";
import { runScenario } from "../../scenarios/world/scenario.ts";
import { stream } from "../../simulation/chance.ts";
import type { Serve } from "../../simulation/http.ts";
import { startK6 } from "../../simulation/k6-process.ts";
import { IDLE_MACHINE, Machine } from "../../simulation/machine.ts";
import { ConnectionPool, LOOPBACK, Network } from "../../simulation/network.ts";
import { openService } from "../../simulation/service.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";

/** Four slots of a worker whose jobs take 0.2 s of the service's time: 20 a second at most. */
export const SERVICE = { variant: "B", timeScale: 1, slots: { sleep: 4 }, seed: 1 } as const;
const WORKER = { id: "sleep", input: { seconds: 0.1 } };
export const NO_BUDGET = { jobs: null, credits: null, usd: null };

export interface SimulatedStep {
  measurement: StepMeasurement;
  /** From its first moment to its record. */
  tookMs: number;
}

/** `before`: what stands before the service, and may answer in its stead. */
export async function simulateStep(
  order: CapacityOrder,
  before: (serve: Serve) => Serve = (serve) => serve,
): Promise<SimulatedStep> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const draw = stream(1, "step");
  const machine = new Machine(clock, IDLE_MACHINE, draw);
  const network = new Network(clock, LOOPBACK, draw);
  const post = async () => ({ status: 0, cause: "refused" }) as const;
  const service = openService({
    given: SERVICE,
    otherFaults: [],
    machine,
    host: "service.simulated",
    clockOffsetMs: 0,
    clockDrift: 0,
    draw,
    post,
  });
  const route = { network, pool: new ConnectionPool(network), serve: before(service.serve) };
  const options = optionsOn(service);
  const { world, records } = startK6({
    machine,
    draw,
    environment: options.secrets,
    routes: new Map([[service.baseUrl, route]]),
    onRecord: () => {},
  });
  const plan = planOf(options, order, NO_BUDGET);
  const startedMs = clock.nowMs();
  let tookMs = 0;
  const made = runScenario(capacityScenario, world, plan).then(() => {
    tookMs = clock.nowMs() - startedMs;
  });
  await clock.run(made, order.durationMs + order.drainMsMax + 60_000);
  for (const record of records) {
    if (record.type !== "measurement" || record.group !== CAPACITY_MEASUREMENT) continue;
    return { measurement: record.value as unknown as StepMeasurement, tookMs };
  }
  throw new Error(`the simulated step has no figures: ${JSON.stringify(records)}`);
}

type Served = Pick<ReferenceService, "baseUrl" | "keys" | "options">;

export function optionsOn(service: Served): CapacityOptions {
  const { target, secrets } = embeddedTarget(service);
  return {
    of: "jobs",
    target,
    secrets,
    worker: WORKER,
    endpoint: "me",
    keys: target.keys.filter(({ name }) => name === "big"),
    objectives: [],
    startRate: 1,
    maxRate: 100,
    beyondPlan: false,
    stepMs: 6_000,
    timeMs: 60_000,
    calmMs: 0,
    budget: null,
    seed: 1,
    receiver: { access: null, missing: "the step is followed by polls" },
    k6: { path: "", version: "" },
    script: path.join(ROOT, "scenarios", "capacity.ts"),
    outputDir: "",
    remoteWrite: null,
    signal: new AbortController().signal,
    onEvent: () => {},
  };
}
