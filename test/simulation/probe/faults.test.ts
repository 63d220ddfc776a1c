/** How soon the probe sees a fault: each within the virtual time that is stated. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { Variant } from "../../../contract/states.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { samplesOf } from "./samples.ts";

interface Case {
  title: string;
  fault: string;
  /** Seen broken; null where the way to the receiver may be at fault as well. */
  promise: PromiseId | null;
  /** The counter that tells of it. */
  counter: RegExp;
  variant: Variant;
  world: SurroundingsName;
  /** From the probe's start: until the canary is due, its job over, and its verdict reached. */
  withinMs: number;
}

/** Waits of Spec §6: 5 s, 30 s, 5 min; and 15 s more. */
const ALL_RETRIES_MS = 350_000;
/** A main path is due within a minute, the others within five; a timeout takes 20 s. */
const MAIN_MS = 70_000;
const SIDE_MS = 330_000;

function violation(promise: PromiseId): Pick<Case, "promise" | "counter"> {
  const counter = new RegExp(`^plumbline_promise_violations_total\\{promise="${promise}"`);
  return { promise, counter };
}

function delivery(outcome: string): Pick<Case, "promise" | "counter"> {
  const counter = new RegExp(`^plumbline_webhook_deliveries_total\\{outcome="${outcome}"`);
  return { promise: null, counter };
}

const CASES: readonly Case[] = [
  {
    title: covers("no webhook comes", "43 probe"),
    fault: "webhook.delivered/never",
    ...delivery("missing"),
    variant: "A",
    world: "office",
    withinMs: MAIN_MS + ALL_RETRIES_MS,
  },
  {
    title: "one webhook in five is lost",
    fault: "webhook.delivered/once-in-a-while",
    ...delivery("missing"),
    variant: "B",
    world: "far",
    withinMs: 5 * MAIN_MS + ALL_RETRIES_MS,
  },
  {
    title: covers("a webhook comes twice, on one machine", "43 probe"),
    fault: "webhook.once/twice",
    ...violation("webhook.once"),
    variant: "A",
    world: "quiet",
    withinMs: 4 * MAIN_MS,
  },
  {
    title: "a webhook comes twice, from far away",
    fault: "webhook.once/twice",
    ...violation("webhook.once"),
    variant: "A",
    world: "far",
    withinMs: 4 * MAIN_MS,
  },
  {
    title: "a signature does not fit",
    fault: "webhook.signed/tampered",
    ...violation("webhook.signed"),
    variant: "B",
    world: "storm",
    withinMs: MAIN_MS,
  },
  {
    title: "a timeout ends 25 % late",
    fault: "timeout.not-late/25-percent-late",
    ...violation("timeout.not-late"),
    variant: "B",
    world: "office",
    withinMs: SIDE_MS,
  },
  {
    title: "a timeout costs",
    fault: "timeout.free/1-percent",
    ...violation("timeout.free"),
    variant: "A",
    world: "far",
    withinMs: SIDE_MS,
  },
  {
    title: "the parts of a price make more than the total",
    fault: "job.cost/sum-off",
    ...violation("job.cost"),
    variant: "B",
    world: "far",
    withinMs: MAIN_MS,
  },
  {
    title: "one instance of four leaves a field out, behind a balancer of connections",
    fault: "job.shape/one-instance-of-four",
    ...violation("job.shape"),
    variant: "B",
    world: "office",
    withinMs: 6 * MAIN_MS,
  },
  {
    title: covers("one job in three can't be found", "29 probe"),
    fault: "job.never-lost/vanishes",
    ...violation("job.never-lost"),
    variant: "A",
    world: "busy",
    withinMs: 4 * MAIN_MS,
  },
];

describe("a fault is seen within its time", () => {
  it.each(CASES)("$title ($world)", async ({ fault, promise, counter, ...rest }) => {
    const { variant, world, withinMs } = rest;
    const { log, metrics } = await simulateProbe({
      seed: 21,
      surroundings: SURROUNDINGS[world],
      service: { variant, faults: [fault] },
      durationMs: withinMs,
    });
    const counted = samplesOf(metrics, counter).map(({ value }) => value);
    expect(counted).toHaveLength(1);
    expect(counted[0]).toBeGreaterThan(0);
    const broken = log.filter(({ event }) => event === "violation").map((line) => line.promise);
    expect(new Set(broken)).toEqual(new Set(promise === null ? [] : [promise]));
  });
});

it(
  covers("a job that leaves its end is a violation, and its run stays a success", "23 probe"),
  async () => {
    const { log, metrics } = await simulateProbe({
      seed: 21,
      surroundings: SURROUNDINGS.quiet,
      service: { variant: "B", faults: ["job.terminal-final/state-changes"] },
      durationMs: 4 * MAIN_MS,
    });
    const broken = log.filter(({ event }) => event === "violation").map((line) => line.promise);
    expect(new Set(broken)).toEqual(new Set(["job.terminal-final"]));
    const runs = samplesOf(metrics, /^plumbline_canary_runs_total/);
    const outcomes = runs.filter(({ value }) => value > 0).map(({ series }) => series);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((series) => !series.includes('outcome="success"'))).toEqual([]);
  },
);
