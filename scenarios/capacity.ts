/**
 * One step of a capacity search: offers jobs, or requests to a read endpoint, at one rate, and
 * tells what came of them. `plumbline capacity` chooses the rates and judges the figures.
 *
 * Runs under stock k6 2.x with a plan that holds a `capacity` order:
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/capacity.ts
 * Keys are read from the environment variables that the plan names. Judges no promise: its one
 * piece of evidence is a measurement, on the console.
 */

import type { Options } from "k6/options";
import type { CapacityOrder } from "../contract/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../contract/capacity-step.ts";
import type { Json } from "../contract/verdict.ts";
import { runJobsStep } from "./capacity/jobs-step.ts";
import { measurementOfRequests, requestOnce, requestOptions } from "./capacity/requests-step.ts";
import { contextOf } from "./contract/context.ts";
import { now } from "./lib/clock.ts";
import { loadPlan } from "./lib/plan.ts";
import { register, reporterOf, scenarioOptions } from "./lib/scaffold.ts";

const NAME = "capacity";
const plan = loadPlan();
const order = orderOf();

/** Ours: reading of the worker before, and last looks after. */
const AROUND_MS = 30_000;
const MAX_MS = order.durationMs + order.drainMsMax + AROUND_MS;

export const options: Options =
  order.of === "jobs"
    ? { ...scenarioOptions([], Math.ceil(MAX_MS / 1_000)), thresholds: {} }
    : requestOptions(plan, order);

function orderOf(): CapacityOrder {
  if (plan.capacity !== undefined) return plan.capacity;
  throw new Error("the plan holds no capacity order; expected one written by plumbline capacity");
}

export function setup(): void {
  register(NAME, []);
}

export default async function (): Promise<void> {
  if (order.of === "requests") {
    requestOnce(plan, order);
    return;
  }
  const report = reporterOf(NAME, []);
  const context = contextOf(plan, [], report, now() + MAX_MS);
  const measurement = await runJobsStep(context, plan, order);
  if (typeof measurement === "string") report.note(measurement);
  else report.measurement(CAPACITY_MEASUREMENT, measurement as unknown as Json);
  const { jobs, credits, usd } = context.spending.spent();
  report.spent(jobs, credits, usd);
  report.ended();
}

/** Of requests many virtual users know a part each; only here all their figures meet. */
export function handleSummary(data: Parameters<typeof measurementOfRequests>[1]) {
  if (order.of === "requests") {
    const report = reporterOf(NAME, []);
    const measurement = measurementOfRequests(order, data);
    report.measurement(CAPACITY_MEASUREMENT, measurement as unknown as Json);
    report.ended();
  }
  return { stdout: "" };
}
