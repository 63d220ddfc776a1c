/**
 * Watches healthy services on virtual time, many seeds in all surroundings: exit code 1 when one of
 * them alerts somebody, or a job, a run or the budget comes out wrong.
 *
 * npm run probe:worlds -- --seeds N [--from SEED] [--world NAME] [--hours N]
 */

import { parseArgs } from "node:util";
import { ALL_SURROUNDINGS_NAMES, SURROUNDINGS_NAMES } from "../../../simulation/worlds.ts";
import { watchHealthy } from "./healthy-hours.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    /** All but `pressure` when left out. */
    world: { type: "string" },
    hours: { type: "string", default: "24" },
  },
});

function numberOf(name: "seeds" | "from" | "hours"): number {
  const value = Number(values[name]);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} ${values[name]}: expected a number above 0`);
}

const { world: asked } = values;
const worlds = (asked === undefined ? SURROUNDINGS_NAMES : ALL_SURROUNDINGS_NAMES).filter(
  (name) => (asked ?? name) === name,
);
if (worlds.length === 0) {
  throw new Error(`--world ${values.world}: expected one of: ${ALL_SURROUNDINGS_NAMES.join(", ")}`);
}
const [seeds, from, hours] = [numberOf("seeds"), numberOf("from"), numberOf("hours")];
let wrong = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  for (const world of worlds) {
    const cpu = process.cpuUsage();
    const { history, problems } = await watchHealthy({ world, seed, hours });
    const { user, system } = process.cpuUsage(cpu);
    const seconds = ((user + system) / 1e6 / hours).toFixed(2);
    const runs = `${history.runs.length} runs, ${seconds} s of processor time an hour`;
    process.stdout.write(`${world}, seed ${seed}: ${runs}, ${problems.length} problems\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    if (problems.length > 0) wrong += 1;
  }
}
process.stdout.write(`${seeds * worlds.length} histories of ${hours} h, ${wrong} wrong\n`);
process.exitCode = wrong === 0 ? 0 : 1;
