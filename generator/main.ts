/**
 * Runs a scenario of a load in this process, a thread for each of its shards: `main.ts soak`. The
 * plan is the file that PLUMBLINE_PLAN names; evidence comes out on standard output, a line a
 * record, as it does on the console of k6.
 */

import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { nowMs } from "../clock/system-clock.ts";
import { formatRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import type { Shard } from "../contract/run/shards.ts";
import { shardsOf } from "../contract/run/shards.ts";
import { capacityScenario } from "../scenarios/capacity/scenario.ts";
import { machineScenario } from "../scenarios/machine/scenario.ts";
import { soakScenario } from "../scenarios/soak/scenario.ts";
import type { Scenario } from "../scenarios/world/scenario.ts";
import { runScenario } from "../scenarios/world/scenario.ts";
import { nodeWorld } from "./node-world.ts";

const SCENARIOS: readonly Scenario[] = [soakScenario, machineScenario, capacityScenario];

/** One shard's part, and how a line of evidence leaves it. */
interface Part {
  name: string;
  shard: Shard;
  beganAtMs: number;
}

function readPlan(): RunPlan {
  return JSON.parse(readFileSync(process.env.PLUMBLINE_PLAN ?? "", "utf8")) as RunPlan;
}

function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario !== undefined) return scenario;
  const names = SCENARIOS.map((each) => each.name).join(", ");
  throw new Error(`no scenario "${name}" runs in Node; expected one of: ${names}`);
}

async function runPart({ name, shard, beganAtMs }: Part, write: (line: string) => void) {
  const world = nodeWorld({ shard, beganAtMs, emit: (record) => write(formatRecord(record)) });
  await runScenario(scenarioNamed(name), world, readPlan());
  await world.close();
}

/** Ours: as large as that of the process itself, which its thread does not inherit. */
const MEMORY = { maxYoungGenerationSizeMb: 96 };

/** A thread that fails tells why; the process then ends with its error. */
function startThread(part: Part): void {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: part,
    resourceLimits: MEMORY,
  });
  thread.on("message", (line: string) => console.log(line));
  thread.on("error", (error) => {
    throw error;
  });
}

async function runAll(name: string): Promise<void> {
  const count = shardsOf(scenarioNamed(name).name, readPlan());
  const beganAtMs = Math.floor(nowMs());
  const parts = Array.from({ length: count }, (_, index) => {
    return { name, shard: { index, count }, beganAtMs };
  });
  const [only] = parts;
  if (count === 1 && only !== undefined) await runPart(only, (line) => console.log(line));
  else for (const part of parts) startThread(part);
}

if (isMainThread) await runAll(process.argv[2] ?? "");
else await runPart(workerData as Part, (line) => parentPort?.postMessage(line));
