/** What must hold at the end of every history, whatever happened in it. */

import { startOf } from "../../../../probe/journal/budget.ts";
import type { World } from "./process.ts";
import type { SimulatedJob } from "./service.ts";
import { PRICES } from "./service.ts";
import type { Witnessed } from "./witnessed.ts";

interface RunRow {
  run_id: string;
  phase: string;
  job_id: string | null;
  outcome: string | null;
  usd: number;
  jobs: number;
  settled: { end: string | null } | null;
}

export function problemsOf(world: World, witnessed: Witnessed): readonly string[] {
  const runs = rowsOf(world);
  const jobs = new Map(world.service.jobs.map((job) => [job.id, job]));
  return [
    ...lost(runs, witnessed),
    ...twice(runs, witnessed),
    ...strangers(runs, jobs),
    ...withoutIntent(runs, world),
    ...unfounded(runs, jobs),
    ...wronglyCharged(runs, jobs, world),
    ...beyondBudget(world),
  ];
}

function rowsOf({ disk }: World): readonly RunRow[] {
  return disk.database
    .prepare(
      `SELECT run_id, phase, job_id, outcome, settled, usd, jobs
       FROM runs JOIN charges USING (run_id)`,
    )
    .all()
    .map((row) => ({
      run_id: String(row.run_id),
      phase: String(row.phase),
      job_id: row.job_id === null ? null : String(row.job_id),
      outcome: row.outcome === null ? null : String(row.outcome),
      usd: Number(row.usd),
      jobs: Number(row.jobs),
      settled: row.settled === null ? null : JSON.parse(String(row.settled)),
    }));
}

/** No acknowledged job is lost, and every run comes to a verdict. */
function lost(runs: readonly RunRow[], { acknowledged }: Witnessed): string[] {
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  const open = runs.filter(({ phase }) => phase !== "settled");
  const gone = [...acknowledged].filter(([runId, jobId]) => byId.get(runId)?.job_id !== jobId);
  return [
    ...open.map(({ run_id }) => `run ${run_id} has no verdict`),
    ...gone.map(([runId, jobId]) => `job ${jobId} of run ${runId} is lost`),
  ];
}

/** None is counted twice: not in the journal, nor in the metrics of two processes. */
function twice(runs: readonly RunRow[], { settled, diskWasFull }: Witnessed): string[] {
  const ids = runs.flatMap(({ job_id }) => job_id ?? []);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  // What a full disk did not take is settled once more after a crash.
  const reported = diskWasFull ? [] : [...settled].filter(([, times]) => times > 1);
  return [
    ...repeated.map((id) => `job ${id} is that of two runs`),
    ...reported.map(([runId, times]) => `run ${runId} was reported ${times} times`),
  ];
}

function strangers(runs: readonly RunRow[], jobs: ReadonlyMap<string, SimulatedJob>): string[] {
  return runs
    .filter(({ job_id }) => job_id !== null && jobs.get(job_id)?.owner !== "probe")
    .map(({ run_id, job_id }) => `run ${run_id} has taken job ${job_id} of somebody else`);
}

/** Nothing is submitted that was not written down before. */
function withoutIntent(runs: readonly RunRow[], { service }: World): string[] {
  const { submissions } = service;
  return submissions <= runs.length ? [] : [`${submissions} POSTs of ${runs.length} intents`];
}

/** Never success without evidence. */
function unfounded(runs: readonly RunRow[], jobs: ReadonlyMap<string, SimulatedJob>): string[] {
  return runs
    .filter(({ outcome }) => outcome === "success")
    .filter(({ job_id }) => {
      const job = jobs.get(job_id ?? "");
      return job === undefined || job.end !== "completed" || !job.isEndShown;
    })
    .map(({ run_id }) => `run ${run_id} is a success that nobody has seen`);
}

/** Ours: sums of decimal prices in binary fractions. */
const ROUNDING = 1e-6;

/** Each of the probe's jobs is charged, and what is known to have ended by its true cost. */
function wronglyCharged(
  runs: readonly RunRow[],
  jobs: ReadonlyMap<string, SimulatedJob>,
  { service }: World,
): string[] {
  const own = service.jobs.filter(({ owner }) => owner === "probe").length;
  const charged = runs.reduce((sum, run) => sum + run.jobs, 0);
  const wrong = runs.filter(({ job_id, settled, usd }) => {
    const job = jobs.get(job_id ?? "");
    const isKnown = job !== undefined && settled !== null && settled.end !== null;
    return isKnown && Math.abs(job.usd - usd) > ROUNDING;
  });
  return [
    ...(charged >= own ? [] : [`${charged} jobs are charged of ${own}`]),
    ...wrong.map(({ run_id, usd }) => `run ${run_id} is charged ${usd}, which is not its cost`),
  ];
}

/** Before the first job has stated its price, each worker may have one that crosses the line. */
function unknownUsd({ service }: World): number {
  if (service.troubles.listsPrices) return 0;
  return Object.values(PRICES).reduce((sum, usd) => sum + usd, 0);
}

function beyondBudget(world: World): string[] {
  const { service, target } = world;
  const own = service.jobs.filter(({ owner }) => owner === "probe");
  return (["day", "month"] as const).flatMap((span) => {
    const ceiling = target.probe?.budget[span];
    const starts = new Set(own.map(({ sentMs }) => startOf(span, sentMs)));
    return [...starts].flatMap((start) => {
      const those = own.filter(({ sentMs }) => startOf(span, sentMs) === start);
      const usd = those.reduce((sum, job) => sum + job.usd, 0);
      const isOver =
        those.length > (ceiling?.jobs ?? Number.MAX_VALUE) ||
        usd > (ceiling?.usd ?? Number.MAX_VALUE) + unknownUsd(world) + ROUNDING;
      return isOver ? [`${those.length} jobs of ${usd} USD in a ${span} beyond the budget`] : [];
    });
  });
}
