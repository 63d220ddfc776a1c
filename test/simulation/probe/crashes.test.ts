/** Random crashes of the whole probe; a seed that goes wrong can be played again. */

import { expect, it } from "vitest";
import type { Moment } from "../../../simulation/crash-plan.ts";
import { MOMENTS } from "../../../simulation/crash-plan.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS_NAMES } from "../../../simulation/worlds.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { replayOf, watchCrashes } from "./crash-history.ts";
import type { HealthyHours } from "./healthy-hours.ts";

const HOURS = 0.5;
const SEEDS = 40;
/** Ours: some ten seconds of processor time, of which a busy machine gives little. */
const TIMEOUT_MS = 600_000;

/** What once went wrong, and is played for ever. */
const ONCE_WRONG: readonly (readonly [SurroundingsName, number, string])[] = [
  ["quiet", 17, "a job that started up while no probe ran, and ended without a verdict"],
];

const HISTORIES: readonly HealthyHours[] = [
  ...ONCE_WRONG.map(([world, seed]) => [world, seed] as const),
  ...Array.from({ length: SEEDS }, (_, at) => {
    return [SURROUNDINGS_NAMES[at % SURROUNDINGS_NAMES.length] ?? "quiet", at + 1] as const;
  }),
].map(([world, seed]) => ({ world, seed, hours: HOURS }));

it(
  covers("after crashes at any write, torn or whole, no job is lost or counted twice", "34 probe"),
  async () => {
    const wrong: string[] = [];
    const moments = new Set<Moment>();
    let [recovered, reached] = [0, 0];
    for (const asked of HISTORIES) {
      const { history, problems, isBudgetReached } = await watchCrashes(asked);
      for (const problem of problems) wrong.push(`${replayOf(asked)}: ${problem}`);
      for (const moment of history.crashedAt) moments.add(moment);
      recovered += history.log.filter(({ event }) => event === "run-recovered").length;
      reached += isBudgetReached ? 1 : 0;
    }
    expect(wrong).toEqual([]);
    // It proves nothing unless crashes came at each moment, in runs, and after spent budgets.
    expect([...moments].sort()).toEqual([...MOMENTS].sort());
    expect(recovered).toBeGreaterThan(SEEDS / 2);
    expect(reached).toBeGreaterThan(SEEDS / 10);
  },
  TIMEOUT_MS,
);
