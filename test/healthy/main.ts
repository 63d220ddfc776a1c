/**
 * Judges the healthy service again and again: nothing may be called broken, in any variant, with
 * any lawful choice, on a busy machine as on an idle one. Prints how often which verdict was given,
 * and the evidence of each that is broken or inconclusive. Exit code 1 when anything was broken.
 *
 * npm run healthy -- [--runs N] [--variant A|B] [--choices each|mixed] [--promises LIST]
 * [--busy] [--jobs N]
 */

import { parseArgs } from "node:util";
import type { Variant } from "../../contract/states.ts";
import { VARIANTS } from "../../contract/states.ts";
import type { Finding, Verdict } from "../../contract/verdict.ts";
import { askedPromises } from "../kill-matrix/asked-promises.ts";
import type { Judged } from "../kill-matrix/judges.ts";
import { judgeSideBySide } from "../kill-matrix/judges.ts";
import { interruptSignal, tell } from "../program.ts";
import { keepBusy } from "./busy-machine.ts";
import type { HealthyRun } from "./conditions.ts";
import { mixedChoices, repeatedRuns, singleChoices } from "./conditions.ts";

const { values } = parseArgs({
  options: {
    /** How often the service is judged with its defaults, in each variant. */
    runs: { type: "string", default: "10" },
    /** Both when left out. */
    variant: { type: "string" },
    /** In place of the defaults: `each` value alone, or all of them `mixed` in a few services. */
    choices: { type: "string" },
    /** Promises and groups to judge, comma separated; all when left out. */
    promises: { type: "string" },
    /** Keep every core busy with something else meanwhile. */
    busy: { type: "boolean", default: false },
    /** Services judged side by side; more than one make the machine busy, too. */
    jobs: { type: "string", default: "1" },
  },
});

function runsOf(variant: Variant): readonly HealthyRun[] {
  const { choices, runs } = values;
  if (choices === undefined) return repeatedRuns(variant, Number(runs));
  if (choices === "each") return singleChoices(variant);
  if (choices === "mixed") return mixedChoices(variant);
  throw new Error(`--choices ${choices}: expected one of: each, mixed`);
}

type Counts = Record<Verdict, number> & { runs: number; seconds: number };

const VERDICTS: readonly Verdict[] = ["kept", "broken", "inconclusive", "unobserved"];

function noCounts(): Counts {
  return { kept: 0, broken: 0, inconclusive: 0, unobserved: 0, runs: 0, seconds: 0 };
}

function add(counts: Counts, findings: readonly Finding[], seconds: number): void {
  counts.runs += 1;
  counts.seconds += seconds;
  for (const { verdict } of findings) counts[verdict] += 1;
}

/** What was said, with figures, and the first exchange that it rests on. */
function tellDoubt(run: HealthyRun, { promise, verdict, ...finding }: Finding): void {
  tell(`  ${verdict} ${promise} (${run.variant}, ${run.name}, seed ${run.seed})`);
  tell(`    ${finding.summary}`);
  tell(`    evidence ${JSON.stringify(finding.evidence)}`);
  const [first] = finding.observations;
  if (first !== undefined) tell(`    seen ${JSON.stringify(first)}`);
}

function printTable(table: ReadonlyMap<string, Counts>): void {
  const head = ["variant and choices", "runs", ...VERDICTS, "seconds a run"];
  const rows = [...table].map(([name, counts]) => [
    name,
    counts.runs,
    ...VERDICTS.map((verdict) => counts[verdict]),
    (counts.seconds / Math.max(1, counts.runs)).toFixed(0),
  ]);
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** True when nothing was broken and every run could be made. */
async function judgeAll(runs: readonly HealthyRun[], signal: AbortSignal): Promise<boolean> {
  const table = new Map<string, Counts>();
  const only = askedPromises(values.promises);
  let isWell = true;
  const onJudged = (run: HealthyRun, { result, error, seconds }: Judged): void => {
    const name = `${run.variant} ${run.name}`;
    const counts = table.get(name) ?? noCounts();
    table.set(name, counts);
    add(counts, result?.findings ?? [], seconds);
    tell(`${name} ${seconds.toFixed(0)} s ${error ?? ""}`);
    const odd = (result?.findings ?? []).filter(
      ({ verdict }) => verdict === "broken" || verdict === "inconclusive",
    );
    for (const finding of odd) tellDoubt(run, finding);
    if (result === null || odd.some(({ verdict }) => verdict === "broken")) isWell = false;
  };
  const conditionOf = ({ variant, choices, seed }: HealthyRun) => {
    return { variant, choices, seed, only };
  };
  await judgeSideBySide("real", runs, Number(values.jobs), conditionOf, onJudged, signal);
  printTable(table);
  return isWell;
}

async function main(): Promise<void> {
  const signal = interruptSignal();
  const variants = VARIANTS.filter((each) => (values.variant ?? each) === each);
  if (variants.length === 0) throw new Error(`--variant ${values.variant}: expected A or B`);
  const relax = values.busy ? keepBusy() : () => undefined;
  try {
    const isWell = await judgeAll(variants.flatMap(runsOf), signal);
    if (signal.aborted) process.exitCode = 105;
    else if (!isWell) process.exitCode = 1;
  } finally {
    relax();
  }
}

await main();
