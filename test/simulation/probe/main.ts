/**
 * Watches healthy services on virtual time, many seeds in all surroundings: exit code 1 when one of
 * them alerts somebody, or a job, a run or the budget comes out wrong.
 *
 * npm run probe:worlds -- --seeds N [--from SEED] [--world NAME] [--hours N]
 *
 * With `--growth`, as in `npm run probe:worlds -- --seeds 1 --world office --hours 168 --growth`,
 * each history ends with a table of what the probe holds, and by how much it grows a day.
 *
 * With `--crashes`, as in `npm run probe:worlds -- --crashes --seeds 100 --hours 0.5`, the probe
 * crashes up to four times, at writes and between them, with torn writes and full disks.
 */

import { parseArgs } from "node:util";
import { askedWorlds } from "../asked-worlds.ts";
import { watchCrashes } from "./crash-history.ts";
import { watchGrowing } from "./growing.ts";
import type { HealthyHours } from "./healthy-hours.ts";
import { watchHealthy } from "./healthy-hours.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    /** All but `pressure` when left out. */
    world: { type: "string" },
    hours: { type: "string", default: "24" },
    crashes: { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
  },
});

function numberOf(name: "seeds" | "from" | "hours"): number {
  const value = Number(values[name]);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} ${values[name]}: expected a number above 0`);
}

const worlds = askedWorlds(values.world);
const [seeds, from, hours] = [numberOf("seeds"), numberOf("from"), numberOf("hours")];
let wrong = 0;

async function watch(asked: HealthyHours) {
  if (values.growth) {
    const { runs, ...rest } = await watchGrowing(asked);
    return { ...rest, count: runs };
  }
  const { history, problems } = await (values.crashes ? watchCrashes : watchHealthy)(asked);
  return { problems, count: history.runs.length, table: "" };
}

for (let seed = from; seed < from + seeds; seed += 1) {
  for (const world of worlds) {
    const cpu = process.cpuUsage();
    const { count, table, problems } = await watch({ world, seed, hours });
    const { user, system } = process.cpuUsage(cpu);
    const seconds = ((user + system) / 1e6 / hours).toFixed(2);
    const runs = `${count} runs, ${seconds} s of processor time an hour`;
    process.stdout.write(`${world}, seed ${seed}: ${runs}, ${problems.length} problems\n`);
    process.stdout.write(table);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    if (problems.length > 0) wrong += 1;
  }
}
process.stdout.write(`${seeds * worlds.length} histories of ${hours} h, ${wrong} wrong\n`);
process.exitCode = wrong === 0 ? 0 : 1;
