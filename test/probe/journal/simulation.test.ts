/** Random histories of the journal and of recovery; a seed that goes wrong can be played again. */

import { expect, it } from "vitest";
import { simulate } from "./simulation/simulate.ts";

const SEEDS = 1_000;
/** Ours: it takes half a minute of processor time, of which a busy machine gives little. */
const TIMEOUT_MS = 600_000;

it(
  `in ${SEEDS} histories no job is lost or counted twice, no budget crossed, no success unseen`,
  async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { problems } = await simulate(seed);
      if (problems.length > 0)
        wrong.push(`npm run probe:histories ${seed}: ${problems.join("; ")}`);
    }
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);
