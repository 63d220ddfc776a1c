/** Holds what the journal says against what the service has. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface LaneReport {
  kills: number;
  /** Jobs that the service has of the probe. */
  jobs: number;
  /** Runs that a later process went on with. */
  recovered: number;
  /** Jobs that are charged, and known to be lost sight of. */
  unresolved: number;
  problems: readonly string[];
}

export interface RunRow {
  runId: string;
  isSettled: boolean;
  jobId: string | null;
  charged: number;
}

export function readRuns(stateDir: string): readonly RunRow[] {
  const database = new DatabaseSync(join(stateDir, "probe.db"));
  try {
    return database
      .prepare("SELECT run_id, phase, job_id, jobs FROM runs JOIN charges USING (run_id)")
      .all()
      .map((row) => ({
        runId: String(row.run_id),
        isSettled: row.phase === "settled",
        jobId: row.job_id === null ? null : String(row.job_id),
        charged: Number(row.jobs),
      }));
  } finally {
    database.close();
  }
}

/** `jobs`: the run that each of the service's jobs is of. */
export function compare(runs: readonly RunRow[], jobs: ReadonlyMap<string, string>) {
  const byRun = new Map(runs.map((run) => [run.runId, run]));
  const claimed = runs.flatMap(({ jobId }) => jobId ?? []);
  const submitted = [...jobs].map(([id, runId]) => ({ id, runId }));
  const lost = submitted.filter(({ runId }) => byRun.get(runId)?.charged !== 1);
  const mistaken = submitted.filter(({ id, runId }) => (byRun.get(runId)?.jobId ?? id) !== id);
  const twice = [...repeated(claimed), ...repeated(submitted.map(({ runId }) => runId))];
  const open = runs.filter(({ isSettled }) => !isSettled);
  return {
    jobs: submitted.length,
    unresolved: submitted.filter(({ id }) => !claimed.includes(id)).length,
    problems: [
      ...lost.map(({ id }) => `job ${id} is lost`),
      ...mistaken.map(({ id, runId }) => `run ${runId} has another job than ${id}`),
      ...twice.map((id) => `${id} is there twice`),
      ...open.map(({ runId }) => `run ${runId} has no verdict`),
    ],
  };
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
