/** Replays one seed of the tracker's simulation, or tries many: --seed N, --seeds N. */

import { parseArgs } from "node:util";
import { simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, seeds: { type: "string", default: "20000" } },
});
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, (_, seed) => seed)
    : [Number(values.seed)];

const failing = new Map<number, readonly string[]>();
let [jobs, transitions, polls] = [0, 0, 0];
for (const seed of seeds) {
  const result = simulate(seed);
  jobs += result.jobs;
  transitions += result.transitions;
  polls += result.polls;
  if (result.problems.length > 0) failing.set(seed, result.problems);
}
for (const [seed, problems] of [...failing].slice(0, 20)) {
  process.stdout.write(`seed ${seed}: ${problems[0]} (${problems.length} problems)\n`);
}
process.stdout.write(
  `${seeds.length} seeds, ${jobs} jobs, ${transitions} transitions, ${polls} polls: ` +
    `${failing.size} seeds failed\n`,
);
process.exitCode = failing.size === 0 ? 0 : 1;
