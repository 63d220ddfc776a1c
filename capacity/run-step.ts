/** Runs one step in k6 or Node and brings home its figures, or why there are none. */

import path from "node:path";

import { nowMs } from "../clock/system-clock.ts";
import type { Spent } from "../contract/limits/budget.ts";
import { NOTHING_SPENT } from "../contract/limits/budget.ts";
import type { CapacityOrder, StepMeasurement } from "../contract/run/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../contract/run/capacity-step.ts";
import type { Budget } from "../contract/run/run-plan.ts";
import { hasFailedToSend } from "../runner/remote-write.ts";
import { runInNode } from "../runner/run-in-node.ts";
import { runK6 } from "../runner/run-k6.ts";
import type { ScenarioOptions, ScenarioRun } from "../runner/scenario-process.ts";
import { watchMachine } from "./machine-watch.ts";
import type { CapacityOptions } from "./options.ts";
import { planOf } from "./step-plan.ts";

export interface StepRun {
  measurement: StepMeasurement | null;
  /** Why there are no figures, in a sentence; null when there are. */
  trouble: string | null;
  spent: Spent;
  /** What the generator had to say, such as why it submitted no more; left out: nothing. */
  notes?: readonly string[];
  /** Whether metrics were to be sent, and were refused. */
  hasLostMetrics?: boolean;
}

/** Value of the label, as of the gate's scenarios. */
const SCENARIO = "capacity";
/** Ours: the generator's start and end on a busy machine, beside the step and its drain. */
const AROUND_MS = 60_000;
/** Ours: Ctrl-C ends the load at once; the generator has nothing to finish then. */
const STOP_WAITS_MS = { afterInterrupt: 700, afterTerminate: 300 };

export async function runStep(
  options: CapacityOptions,
  order: CapacityOrder,
  budget: Budget,
  name: string,
): Promise<StepRun> {
  const startedMs = nowMs();
  // Beside jobs it is the receiver that watches.
  const machine = order.of === "requests" ? watchMachine() : null;
  const run = await runWith(options, order, {
    name,
    plan: planOf(options, order, budget),
    secrets: options.secrets,
    timeLimitMs: order.durationMs + order.drainMsMax + AROUND_MS,
    signal: options.signal,
    onRecord: () => {},
    outputDir: path.join(options.outputDir, "k6"),
    stopWaitsMs: STOP_WAITS_MS,
  });
  const measured = measurementIn(run);
  const hostLag = machine?.(measured ?? NO_TIME) ?? measured?.hostLag;
  const measurement = measured === null || hostLag === undefined ? null : { ...measured, hostLag };
  const spent = spentIn(run) ?? assumedSpent(order, startedMs);
  const trouble = measurement === null ? troubleOf(run) : null;
  // Without figures its first note is the trouble.
  const notes = measurement === null ? [] : notesIn(run);
  return { measurement, trouble, spent, notes, hasLostMetrics: hasFailedToSend(run.stderrTail) };
}

const NO_TIME = { startedAtMs: 0, seconds: 0 };

/** Requests are offered by an executor of k6's; jobs by Node, unless k6's metrics are sent on. */
function runWith(
  { k6, script, remoteWrite, target }: CapacityOptions,
  { of }: CapacityOrder,
  step: ScenarioOptions,
): Promise<ScenarioRun> {
  const isInNode = of === "jobs" && !remoteWrite && target.load?.generator !== "k6";
  if (isInNode) return runInNode(step, SCENARIO);
  const seriesLabels = { scenario: SCENARIO, step: step.name };
  return runK6({ ...step, k6Path: k6.path, script, remoteWrite, seriesLabels });
}

function measurementIn({ records }: ScenarioRun): StepMeasurement | null {
  for (const record of records) {
    if (record.type !== "measurement" || record.group !== CAPACITY_MEASUREMENT) continue;
    return record.value as unknown as StepMeasurement;
  }
  return null;
}

function notesIn({ records }: ScenarioRun): string[] {
  return records.flatMap((record) => (record.type === "note" ? [record.text] : []));
}

function spentIn({ records }: ScenarioRun): Spent | null {
  const spent = records.find((record) => record.type === "spent");
  return spent === undefined ? null : { jobs: spent.jobs, credits: spent.credits, usd: spent.usd };
}

/** A step that was cut off did not come to tell: at most what its time allowed. */
function assumedSpent({ of, ratePerSecond, durationMs }: CapacityOrder, startedMs: number): Spent {
  if (of === "requests") return NOTHING_SPENT;
  const ranMs = Math.min(durationMs, nowMs() - startedMs);
  return { ...NOTHING_SPENT, jobs: Math.ceil((ratePerSecond * ranMs) / 1_000) };
}

function troubleOf(run: ScenarioRun): string {
  if (run.interrupted) return "the step was interrupted";
  if (run.timedOut) return "the generator hung and was stopped";
  if (run.outgrown) return "the generator took all the memory that it may have, and was killed";
  const note = run.records.find((record) => record.type === "note");
  if (note !== undefined) return note.text;
  const lines = run.stderrTail.split("\n").filter((line) => line.trim() !== "");
  const said = lines.findLast((line) => /error|exception/i.test(line)) ?? lines.at(-1) ?? "";
  return `the generator ended with ${run.exitCode ?? "a signal"} and no figures: ${said.trim()}`;
}
