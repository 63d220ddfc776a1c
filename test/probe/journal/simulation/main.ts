/**
 * Plays histories of the simulation: `npm run probe:histories SEED` tells one
 * line by line; `-- --seeds N [--from SEED]` plays many and names those that go wrong.
 */

import { parseArgs } from "node:util";

import { simulate } from "./simulate.ts";

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string" }, from: { type: "string" } },
  allowPositionals: true,
});

if (values.seeds === undefined) {
  const { lines, problems } = await simulate(Number(positionals[0] ?? 1));
  process.stdout.write(
    `${[...lines, "", ...problems, `${problems.length} problems`].join("\n")}\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} else {
  const from = Number(values.from ?? 1);
  let [wrong, runs, crashes] = [0, 0, 0];
  for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
    const history = await simulate(seed);
    runs += history.runs;
    crashes += history.crashes;
    if (history.problems.length === 0) continue;
    wrong += 1;
    process.stdout.write(`seed ${seed}: ${history.problems.join("; ")}\n`);
  }
  process.stdout.write(`${values.seeds} seeds, ${runs} runs, ${crashes} crashes, ${wrong} wrong\n`);
  process.exitCode = wrong === 0 ? 0 : 1;
}
