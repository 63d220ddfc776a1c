/** Lives of a journal with harm to its files between them: it never forgets what was spent. */

import { expect, it } from "vitest";
import { damage, leavesTrace } from "./kill/damage.ts";
import { copied, folder, intent, NOW, ONE_JOB, open } from "./open-journal.ts";
import { Chance } from "./simulation/chance.ts";

/** Ours: about three seconds of processor time. */
const SEEDS = 100;
const LIVES = 4;
const JOBS_MAX = 5;

/** Gives back what is wrong, and how often what was spent was not known. */
async function live(seed: number): Promise<{ problems: readonly string[]; asked: number }> {
  const chance = new Chance(seed);
  const problems: string[] = [];
  let [path, harm, spent, asked] = [(await folder()).path, "no damage", 0, 0];
  let isAccepted = false;
  for (let life = 0; life < LIVES; life += 1) {
    const { journal } = open(path, "http://a", isAccepted);
    const charged = journal.spent("month", NOW).jobs;
    const isUnknown = journal.unknownSpending !== null;
    const say = (what: string) => problems.push(`seed ${seed}, after ${harm}: ${what}`);
    if (charged < spent && !isUnknown && !isAccepted)
      say(`${charged} of ${spent} jobs are counted`);
    if (charged > spent) say(`${charged} jobs are counted of ${spent}`);
    if (isUnknown && !harm.includes("spent")) say("its record was whole, and is not believed");
    asked += Number(isUnknown);
    isAccepted = isUnknown;
    spent = charged;
    // A probe that doesn't know what was spent submits nothing.
    const jobs = isUnknown ? 0 : Math.ceil(chance.between(0, JOBS_MAX));
    for (let job = 0; job < jobs; job += 1) {
      const runId = chance.uuid();
      await journal.intend(intent(runId), ONE_JOB);
      await journal.accept(runId, `job-${runId}`, null);
    }
    spent += jobs;
    // As a killed probe leaves it.
    path = await copied(path);
    harm = damage(path, chance);
    if (!leavesTrace(path)) spent = 0;
  }
  return { problems, asked };
}

it(`in ${SEEDS} histories of harmed files what was spent is known, or told unknown`, async () => {
  const problems: string[] = [];
  let asked = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const lived = await live(seed);
    problems.push(...lived.problems);
    asked += lived.asked;
  }
  expect(problems).toEqual([]);
  // It proves nothing where all was harmed each time, or nothing was.
  expect(asked).toBeGreaterThan(SEEDS / 4);
  expect(asked).toBeLessThan((SEEDS * LIVES) / 2);
});
