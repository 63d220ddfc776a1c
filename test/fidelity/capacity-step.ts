/** A step of a capacity search, in real k6 and in the simulation: the sixth scenario. */

import path from "node:path";
import { judgeStep } from "../../capacity/judge-step.ts";
import type { CapacityOptions } from "../../capacity/options.ts";
import { runStep } from "../../capacity/run-step.ts";
import { planOf } from "../../capacity/step-plan.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../../contract/capacity-step.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";
import { ROOT } from "../../runner/package-root.ts";
import { capacityScenario } from "../../scenarios/capacity/scenario.ts";
import { runScenario } from "../../scenarios/world/scenario.ts";
import { stream } from "../../simulation/chance.ts";
import { startK6 } from "../../simulation/k6-process.ts";
import { IDLE_MACHINE, Machine } from "../../simulation/machine.ts";
import { ConnectionPool, LOOPBACK, Network } from "../../simulation/network.ts";
import { openService } from "../../simulation/service.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { k6Here } from "../runner/k6-here.ts";

/** Four slots of a worker whose jobs take 0.2 s of the service's time: 20 a second at most. */
const SERVICE = { variant: "B", timeScale: 1, slots: { sleep: 4 }, seed: 1 } as const;
const WORKER = { id: "sleep", input: { seconds: 0.1 } };
const NO_BUDGET = { jobs: null, credits: null, usd: null };

export function stepOf(ratePerSecond: number): CapacityOrder {
  return {
    of: "jobs",
    ratePerSecond,
    durationMs: 6_000,
    drainMsMax: 20_000,
    endpoint: "me",
    beyondPlan: false,
    harmShare: 0.1,
    latencyCeilingMs: null,
    backlogMax: null,
  };
}

export async function realStep(order: CapacityOrder): Promise<CapacityStep> {
  const service = await startReference(SERVICE);
  await using folder = await temporaryFolder();
  try {
    const k6 = await k6Here();
    const options = { ...optionsOn(service), k6, outputDir: folder.path };
    const { measurement, trouble } = await runStep(options, order, NO_BUDGET, "step");
    if (measurement === null) throw new Error(trouble ?? "the step has no figures");
    return judged(order, measurement);
  } finally {
    await service.close();
  }
}

export async function simulatedStep(order: CapacityOrder): Promise<CapacityStep> {
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
  const route = { network, pool: new ConnectionPool(network), serve: service.serve };
  const options = optionsOn(service);
  const { world, records } = startK6({
    machine,
    draw,
    environment: options.secrets,
    routes: new Map([[service.baseUrl, route]]),
    onRecord: () => {},
  });
  const plan = planOf(options, order, NO_BUDGET);
  await clock.run(runScenario(capacityScenario, world, plan), order.durationMs + 60_000);
  for (const record of records) {
    if (record.type !== "measurement" || record.group !== CAPACITY_MEASUREMENT) continue;
    return judged(order, record.value as unknown as StepMeasurement);
  }
  throw new Error(`the simulated step has no figures: ${JSON.stringify(records)}`);
}

function judged(order: CapacityOrder, measurement: StepMeasurement): CapacityStep {
  return judgeStep(order, measurement, { phase: "search", objectives: [], base: null });
}

type Served = Pick<ReferenceService, "baseUrl" | "keys" | "options">;

function optionsOn(service: Served): CapacityOptions {
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
