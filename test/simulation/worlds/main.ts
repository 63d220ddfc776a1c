/**
 * Judges healthy services in all surroundings, many seeds each, and writes docs/doubt.md; of one of
 * them, .plumbline/worlds-NAME.md. `pressure` is judged only by its name. Goes on where it was
 * interrupted with --resume. Exit code 1 when a service was called broken or more runs were left in
 * doubt than the budget allows.
 *
 * npm run worlds -- --seeds N [--from N] [--world NAME] [--profile standard|quick] [--jobs N]
 *   [--resume]
 */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../../runner/package-root.ts";
import { appendToJournal, clearJournal, readJournal } from "../../journal.ts";
import { tell, wholeNumber } from "../../program.ts";
import { askedWorlds } from "../asked-worlds.ts";
import { overruns } from "./budget.ts";
import type { WorldRecord, WorldRun } from "./run.ts";
import { nameOf, worldRecordSchema } from "./run.ts";
import { judgeWorlds } from "./side-by-side.ts";
import { doubtPage } from "./table.ts";

const { values } = parseArgs({
  options: {
    /** Healthy services in each of the surroundings. */
    seeds: { type: "string", default: "100" },
    /** The first seed. */
    from: { type: "string", default: "1" },
    /** All but `pressure` when left out. */
    world: { type: "string" },
    profile: { type: "string", default: "standard" },
    /** Processes; each fills a core. */
    jobs: { type: "string", default: "2" },
    /** Leave out what the journal has; the page then tells of all of it. */
    resume: { type: "boolean", default: false },
  },
});

/** A part of the surroundings is no page of the documentation, and has a journal of its own. */
const NAME = values.world === undefined ? "worlds" : `worlds-${values.world}`;
const JOURNAL = path.join(ROOT, ".plumbline", `${NAME}.jsonl`);
const PAGE =
  values.world === undefined
    ? path.join(ROOT, "docs", "doubt.md")
    : path.join(ROOT, ".plumbline", `${NAME}.md`);

const numberOf = (name: "seeds" | "from" | "jobs") => wholeNumber(name, values[name]);

function plannedRuns(): readonly WorldRun[] {
  const { world, profile } = values;
  if (profile !== "standard" && profile !== "quick") {
    throw new Error(`--profile ${profile}: expected one of: standard, quick`);
  }
  const worlds = askedWorlds(world);
  const seeds = Array.from({ length: numberOf("seeds") }, (_, at) => at + numberOf("from"));
  return seeds.flatMap((seed) => worlds.map((each) => ({ world: each, profile, seed })));
}

/** The latest of each. */
function journalled(): Map<string, WorldRecord> {
  const records = readJournal(JOURNAL, worldRecordSchema);
  return new Map(records.map((record) => [nameOf(record), record]));
}

function tellRun(record: WorldRecord): void {
  const { kept, broken, inconclusive, seconds } = record;
  tell(`${nameOf(record)}: ${kept} kept, ${seconds.toFixed(1)} s`);
  for (const text of broken) tell(`  broken ${text}`);
  for (const text of inconclusive) tell(`  inconclusive ${text}`);
}

async function main(): Promise<void> {
  const planned = plannedRuns();
  const jobs = numberOf("jobs");
  if (!values.resume) clearJournal(JOURNAL);
  const known = journalled();
  const missing = planned.filter((run) => !known.has(nameOf(run)));
  await judgeWorlds(missing, jobs, (record) => {
    appendToJournal(JOURNAL, record);
    tellRun(record);
  });
  const records = [...journalled().values()];
  writeFileSync(PAGE, doubtPage(records));
  const wrongs = overruns(records);
  for (const wrong of wrongs) tell(wrong);
  if (wrongs.length > 0) process.exitCode = 1;
}

await main();
