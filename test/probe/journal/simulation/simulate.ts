/**
 * One random history of the probe: runs, lost and late answers, full disks, crashes at any write;
 * then a last process that only ends what is open. Gives back what is wrong afterwards.
 */

import type { Budget } from "../../../../contract/run/run-plan.ts";
import type { CanaryPlan, Target } from "../../../../contract/target.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import { CrashPlan } from "../../../../simulation/crash-plan.ts";
import { VirtualClock } from "../../../../simulation/virtual-clock.ts";
import { BASE_TARGET, PROBE_PLAN } from "../../../gate/base-target.ts";
import { Chance } from "./chance.ts";
import { Disk } from "./disk.ts";
import { problemsOf } from "./invariants.ts";
import type { World } from "./process.ts";
import { SimulatedProcess } from "./process.ts";
import { PRICES, SimulatedService } from "./service.ts";
import type { Witnessed } from "./witnessed.ts";

/** Shortly before a day and a month begin. */
const START_MS = Date.UTC(2026, 0, 31, 23, 58);
const MINUTE_MS = 60_000;

export interface History {
  seed: number;
  problems: readonly string[];
  /** What happened, a line each. */
  lines: readonly string[];
  runs: number;
  crashes: number;
}

export async function simulate(seed: number): Promise<History> {
  const chance = new Chance(seed);
  const time = new VirtualClock(START_MS);
  const troubles = {
    share: chance.between(0, 0.5),
    listShowsInputs: chance.happens(0.5),
    listsPrices: chance.happens(0.8),
  };
  const service = new SimulatedService(time, chance, troubles);
  const witnessed: Witnessed = {
    settled: new Map(),
    acknowledged: new Map(),
    diskWasFull: false,
  };
  const lines: string[] = [];
  const say = (line: string) => lines.push(`${new Date(time.nowMs()).toISOString()} ${line}`);
  const observe = (event: ProbeEvent): void => {
    const run = "run" in event ? event.run : null;
    if (event.type === "run-settled") {
      const { runId } = event.run;
      witnessed.settled.set(runId, (witnessed.settled.get(runId) ?? 0) + 1);
    }
    if (event.type === "request")
      return void say(`${event.exchange.path} ${event.exchange.status}`);
    const why =
      event.type === "run-settled" ? `${event.settled.outcome}: ${event.settled.why}` : "";
    say(`${event.type} ${run?.runId.slice(0, 8) ?? ""} ${run?.jobId ?? ""} ${why}`);
  };
  const acknowledge = (runId: string, jobId: string) => witnessed.acknowledged.set(runId, jobId);
  const target = targetOf(chance);
  const disk = new Disk();
  const world: World = { time, chance, disk, service, target, observe, acknowledge };
  const crashes = await live(world, witnessed, say);
  await end(world);
  const problems = problemsOf(world, witnessed);
  const runs = service.submissions;
  disk.database.close();
  return { seed, problems, lines, runs, crashes };
}

/** Some lives of the probe, each until its crash. */
async function live(world: World, witnessed: Witnessed, say: (line: string) => void) {
  const { chance, time, disk } = world;
  const crashes = Math.floor(chance.between(1, 5));
  for (let life = 0; life < crashes; life += 1) {
    const atCommit = chance.happens(0.7) ? Math.ceil(chance.between(0, 40)) : Number.MAX_VALUE;
    const plan = new CrashPlan(atCommit, chance.happens(0.5) ? "after" : "before");
    const process = enter(world, plan);
    process.start();
    const limitMs = chance.between(1_000, 1.5 * MINUTE_MS);
    await time.run(disturb(world, process, witnessed, time.nowMs() + limitMs), limitMs);
    process.crash();
    disk.isFull = false;
    disk.recover();
    say("CRASH");
    await pass(world, chance.between(0, chance.happens(0.2) ? 10 * MINUTE_MS : MINUTE_MS));
  }
  return crashes;
}

/** Ours: about as often as something else happens in a history. */
const DISTURBED_MS = 600;

/** The disk runs full and is emptied, and others use the account, until the crash or that time. */
async function disturb(
  { chance, time, disk, service }: World,
  process: SimulatedProcess,
  witnessed: Witnessed,
  untilMs: number,
): Promise<void> {
  while (!process.isOver && time.nowMs() < untilMs) {
    if (chance.happens(0.005)) {
      disk.isFull = !disk.isFull;
      witnessed.diskWasFull = true;
    }
    if (chance.happens(0.02)) service.createForStranger("echo");
    await time.sleep(Math.min(chance.between(0, DISTURBED_MS), untilMs - time.nowMs()));
  }
}

/** Ours: far longer than anything of a run is waited for. */
const END_MS = 120 * MINUTE_MS;

/** A last process that submits nothing, until nothing is awaited any more. */
async function end(world: World): Promise<void> {
  const process = enter(world, new CrashPlan(Number.MAX_VALUE, "before"));
  const endMs = world.time.nowMs() + END_MS;
  while (process.journal.unfinished().length > 0 && world.time.nowMs() < endMs) {
    await pass(world, MINUTE_MS);
  }
}

function enter(world: World, plan: CrashPlan): SimulatedProcess {
  const process = new SimulatedProcess(world, plan);
  world.service.deliver = (token, job) => process.deliver(token, job);
  return process;
}

function pass({ time }: World, ms: number): Promise<void> {
  return time.run(time.sleep(ms), ms);
}

function targetOf(chance: Chance): Target {
  const hasMarker = chance.happens(0.7);
  const webhook = chance.happens(0.6);
  const ceiling = (jobs: number): Budget => ({
    jobs: chance.happens(0.5) ? Math.ceil(chance.between(1, jobs)) : null,
    credits: null,
    usd: chance.happens(0.5) ? Math.ceil(chance.between(1, jobs)) * (PRICES.sleep ?? 0) : null,
  });
  const marker = hasMarker ? { marker: "text" } : {};
  const signature = { header: "x", scheme: "present", secretEnvs: [] } as const;
  return {
    ...BASE_TARGET,
    workers: {
      success: { id: "echo", input: { text: "hi" }, ...marker },
      slow: { id: "sleep", input: { seconds: 5 }, ...marker },
    },
    webhook: webhook
      ? { listen: { host: "127.0.0.1", port: 0 }, publicUrl: null, signature }
      : null,
    canaries: [canary("success", 10_000, webhook), canary("slow", 17_000, webhook)],
    probe: { ...PROBE_PLAN, budget: { day: ceiling(30), month: ceiling(60) } },
  };
}

function canary(part: "success" | "slow", everyMs: number, webhook: boolean): CanaryPlan {
  const times = { everyMs, jitterShare: 0.1, deadlineMs: 60_000 };
  return { name: part, part, ...times, webhook, expect: null, overlapMax: 4 };
}
