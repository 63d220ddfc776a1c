/**
 * Searches of services with a memory, in virtual time: how often the 95 % interval holds a planted
 * capacity, by how much the estimate is off, and how often what gives way is named.
 *
 * npm run capacity:coverage -- [--count N] [--only TEXT]
 */

import { parseArgs } from "node:util";
import { findCapacity } from "../../../capacity/find-capacity.ts";
import { meanOf, quantileOf } from "../../../capacity/statistics/moments.ts";
import type { CapacityResult } from "../../../report/capacity-model.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import { searchOptions } from "../options.ts";
import { SimulatedWorld } from "../simulated/world.ts";
import type { Planted } from "./services.ts";
import { PLANTED } from "./services.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: "40" }, only: { type: "string", default: "" } },
});

/** The next step begins at any time up to so many seconds later, in ticks of the world. */
const REST = { seconds: 1.5, tick: 0.005 };

async function searchOne(
  { service }: Planted,
  seed: number,
): Promise<{ result: CapacityResult; seconds: number }> {
  const rest = seededRandom(17 * seed);
  const world = new SimulatedWorld(service(rest.next()), seededRandom(7_919 * seed));
  const result = await findCapacity(searchOptions({ maxRate: 200 }), async (_, order) => {
    world.state.now += Math.round((rest.next() * REST.seconds) / REST.tick) * REST.tick;
    const measurement = world.step(order);
    return { measurement, trouble: null, spent: { jobs: measurement.sent, credits: 0, usd: 0 } };
  });
  return { result, seconds: world.state.now };
}

function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

function print(cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

const HEAD = ["service", "planted, jobs/s", "found", "in interval", "mean", "greatest", "interval"];
const count = Number(values.count);
print([...HEAD, "named", "time"]);
print([...HEAD, "named", "time"].map(() => "---"));
for (const planted of PLANTED) {
  const { name, perSecond, bottleneck } = planted;
  if (!name.includes(values.only)) continue;
  const seconds: number[] = [];
  const found: (NonNullable<CapacityResult["estimate"]> & { isNamed: boolean })[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    const search = await searchOne(planted, seed);
    seconds.push(search.seconds);
    const { outcome, estimate, bottleneck: first } = search.result;
    if (outcome !== "found" || estimate === null) continue;
    found.push({ ...estimate, isNamed: first?.bottleneck === bottleneck });
  }
  if (found.length === 0) {
    const time = `${quantileOf(seconds, 0.5).toFixed(0)} s`;
    print([name, Number(perSecond.toPrecision(3)), 0, 0, "", "", "", 0, time]);
    continue;
  }
  const off = found.map((each) => each.perSecond / perSecond - 1);
  const mean = meanOf(off);
  print([
    name,
    Number(perSecond.toPrecision(3)),
    found.length,
    found.filter(({ low, high }) => low <= perSecond && perSecond <= high).length,
    `${mean < 0 ? "" : "+"}${percent(mean)}`,
    percent(Math.max(...off.map(Math.abs))),
    percent(
      quantileOf(
        found.map(({ low, high }) => high / low - 1),
        0.5,
      ),
      0,
    ),
    found.filter(({ isNamed }) => isNamed).length,
    `${quantileOf(seconds, 0.5).toFixed(0)} s`,
  ]);
}
