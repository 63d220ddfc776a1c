/** How soon the probe sees a fault: each within the virtual time that is stated. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { Variant } from "../../../contract/states.ts";
import { faultOf } from "../../../reference/faults/fault.ts";
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

/** The balance is read two by two once in two minutes, and must be seen at rest for 65 s. */
const BALANCE_MS = 3_600_000;

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
  {
    title: "jobs are gone a minute after their end",
    fault: "job.never-lost/gone-after-60-s",
    ...violation("job.never-lost"),
    variant: "B",
    world: "office",
    withinMs: 7 * MAIN_MS,
  },
  {
    title: "a failed job has another error after 5 s",
    fault: "job.terminal-final/failed-with-another-code",
    ...violation("job.terminal-final"),
    variant: "A",
    world: "far",
    withinMs: 2 * SIDE_MS + MAIN_MS,
  },
  {
    title: "a webhook comes again after two minutes",
    fault: "webhook.once/again-after-2-min",
    ...violation("webhook.once"),
    variant: "B",
    world: "office",
    withinMs: 5 * MAIN_MS,
  },
  {
    title: "the job list omits failed jobs",
    fault: "job.list-own/failed-left-out",
    ...violation("job.list-own"),
    variant: "B",
    world: "office",
    withinMs: 2 * SIDE_MS,
  },
  {
    title: "the job list omits the latest job",
    fault: "job.list-own/latest-missing",
    ...violation("job.list-own"),
    variant: "A",
    world: "far",
    withinMs: 3 * SIDE_MS,
  },
  {
    title: "the job list shows one job too many",
    fault: "job.list-limit/one-too-many",
    ...violation("job.list-limit"),
    variant: "A",
    world: "quiet",
    withinMs: BALANCE_MS,
  },
  {
    title: "a worker's run limit is a text",
    fault: "workers.detail-shape/limit-as-text",
    ...violation("workers.detail-shape"),
    variant: "B",
    world: "quiet",
    withinMs: SIDE_MS,
  },
  {
    title: "two submissions get one identifier, which says nothing else of either",
    fault: "submit.unique-id/repeated",
    ...violation("submit.unique-id"),
    variant: "A",
    world: "office",
    withinMs: 2 * SIDE_MS,
  },
  {
    title: "each job is charged twice, in credits",
    fault: "job.run-once/each-charged-twice",
    ...violation("job.run-once"),
    variant: "A",
    world: "office",
    withinMs: BALANCE_MS,
  },
  {
    title: "each job is charged twice, in dollars",
    fault: "load.accounting/each-charged-twice",
    ...violation("job.run-once"),
    variant: "B",
    world: "far",
    withinMs: BALANCE_MS,
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

/** A credit of the reference service. */
const CREDIT_MICRO_USD = 10_000;
/** What it says of itself is that it cost nothing. */
const TIMEOUTS_TAKE_CREDITS = faultOf("timeout.free", "taken", "A timeout takes a credit", () => ({
  charge: (microUsd, job) => (job.state === "timeout" ? microUsd + CREDIT_MICRO_USD : microUsd),
}));

it("a timeout that is free by its own word and is charged is seen on the balance", async () => {
  const { log } = await simulateProbe({
    seed: 21,
    surroundings: SURROUNDINGS.office,
    service: { variant: "A", faults: [TIMEOUTS_TAKE_CREDITS.name] },
    otherFaults: [TIMEOUTS_TAKE_CREDITS],
    durationMs: 1.5 * BALANCE_MS,
  });
  const broken = log.filter(({ event }) => event === "violation");
  expect(new Set(broken.map((line) => line.promise))).toEqual(new Set(["timeout.free"]));
});

it("a submission that starts two jobs is seen in the list of jobs", async () => {
  const { log } = await simulateProbe({
    seed: 21,
    surroundings: SURROUNDINGS.office,
    service: { variant: "A", faults: ["job.run-once/1-in-12-starts-two-jobs"] },
    durationMs: 20 * 60_000,
  });
  const broken = log.filter(({ event }) => event === "violation").map((line) => line.promise);
  // The webhook of the second one comes for the first.
  expect(new Set(broken)).toEqual(new Set(["job.run-once", "webhook.truthful"]));
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
