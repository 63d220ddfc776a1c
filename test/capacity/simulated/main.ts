/**
 * Searches of simulated services by the hundred: how often the edge is found within 5 %, how often
 * the interval holds it, and how often the right thing is said to give way. No service, no k6.
 *
 * npm run capacity:simulate -- [--count N]
 */

import { parseArgs } from "node:util";
import { findCapacity } from "../../../capacity/find-capacity.ts";
import type { Random } from "../../../scenarios/world/random.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import { searchOptions } from "../options.ts";
import type { SimulatedService } from "../simulated-service.ts";
import { capacityOf, simulateStep } from "../simulated-service.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "300" } } });

const KINDS = { slots: "queue", limited: "limiter", shared: "workers" } as const;
const DEVIATION_MAX = 0.05;

function drawn(kind: SimulatedService["kind"], random: Random): SimulatedService {
  const between = (low: number, high: number) => low + (high - low) * random.next();
  return {
    kind,
    slots: Math.round(between(6, 60)),
    runSeconds: between(0.2, 1),
    admitted: Math.round(between(10, 150)),
    variation: between(0, 0.3),
    busyShare: 0.1,
    failing: 0,
  };
}

interface Tally {
  near: number;
  held: number;
  named: number;
  deviations: number[];
  steps: number;
}

async function searchOne(service: SimulatedService, random: Random, tally: Tally): Promise<void> {
  const result = await findCapacity(searchOptions(), async (_, order) => {
    const measurement = simulateStep(service, order, random);
    return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
  });
  const truth = capacityOf(service);
  const { estimate, bottleneck, steps } = result;
  const deviation = (estimate?.perSecond ?? 0) / truth - 1;
  tally.deviations.push(Math.abs(deviation));
  tally.steps += steps.length;
  if (Math.abs(deviation) <= DEVIATION_MAX) tally.near += 1;
  if (estimate !== null && estimate.low <= truth && truth <= estimate.high) tally.held += 1;
  if (bottleneck?.bottleneck === KINDS[service.kind]) tally.named += 1;
}

const count = Number(values.count);
const head = ["service", "searches", "within 5 %", "worst", "in interval", "bottleneck right"];
process.stdout.write(`| ${[...head, "steps"].join(" | ")} |\n`);
process.stdout.write(`| ${[...head, "steps"].map(() => "---").join(" | ")} |\n`);
for (const kind of Object.keys(KINDS) as SimulatedService["kind"][]) {
  const tally: Tally = { near: 0, held: 0, named: 0, deviations: [], steps: 0 };
  for (let seed = 1; seed <= count; seed += 1) {
    const random = seededRandom(seed * 7_919);
    await searchOne(drawn(kind, random), random, tally);
  }
  const worst = `${(Math.max(...tally.deviations) * 100).toFixed(1)} %`;
  const cells = [kind, count, tally.near, worst, tally.held, tally.named];
  const steps = (tally.steps / count).toFixed(1);
  process.stdout.write(`| ${[...cells, steps].join(" | ")} |\n`);
}
