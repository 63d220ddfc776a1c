/** Holds what the journal says against what the service has. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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
  /** How often the files were harmed, and a person had to accept that spending is not known. */
  damages: number;
  accepted: number;
  /** Lanes with a ceiling that binds, those that reached it, and their kills after that. */
  bounded: number;
  reached: number;
  killsSinceReached: number;
  problems: readonly string[];
}

export interface RunRow {
  runId: string;
  isSettled: boolean;
  jobId: string | null;
  charged: number;
}

export interface Account {
  /** Jobs that count as spent. */
  charged: number;
  isUnknown: boolean;
}

/** What the journal says is spent, read from a copy: the file is the next probe's to recover. */
export function readAccount(stateDir: string): Account | null {
  const copy = mkdtempSync(join(tmpdir(), "plumbline-probe-account-"));
  try {
    for (const name of ["probe.db", "probe.db-wal"]) {
      if (existsSync(join(stateDir, name))) copyFileSync(join(stateDir, name), join(copy, name));
    }
    const database = new DatabaseSync(join(copy, "probe.db"));
    try {
      const { jobs } = database.prepare("SELECT total(jobs) AS jobs FROM charges").get() ?? {};
      const unknown = database.prepare("SELECT 1 FROM unknown_spending").get();
      return { charged: Number(jobs), isUnknown: unknown !== undefined };
    } finally {
      database.close();
    }
  } catch {
    // A probe that was killed in its start may have left no tables yet.
    return null;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
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
