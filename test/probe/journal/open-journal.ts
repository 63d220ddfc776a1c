/** Journals of a test's own, closed after it, and records to write into them. */

import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { Journal } from "../../../probe/journal/journal.ts";
import { openJournal } from "../../../probe/journal/journal.ts";
import type { Intent } from "../../../probe/journal/records.ts";
import type { TemporaryFolder } from "../../cli/temporary-folder.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { fakeClock } from "../fake-clock.ts";
import { FILES } from "./kill/damage.ts";

export const NOW = Date.UTC(2026, 0, 15, 12);
/** As the first release wrote it, with one run that is under way. */
export const VERSION_1 = join(import.meta.dirname, "version-1.sql");
export const ONE_JOB = { jobs: 1, credits: 2, usd: 0.5 };

export async function folder(): Promise<TemporaryFolder> {
  const made = await temporaryFolder();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

export function open(
  stateDir: string,
  baseUrl = "http://a",
  acceptUnknownSpending = false,
  nowMs = NOW,
) {
  const failures: string[] = [];
  const recoveries: string[] = [];
  const onFailure = (what: string, why: string) => failures.push(`${what}: ${why}`);
  const onRecovered = () => recoveries.push("recovered");
  const tightened: string[] = [];
  const onTightened = (what: string) => tightened.push(what);
  const heard = { onFailure, onRecovered, onTightened };
  const redact = (text: string) => text;
  const clock = fakeClock(nowMs);
  const given = { stateDir, baseUrl, clock, redact, acceptUnknownSpending };
  const journal = openJournal({ ...given, ...heard });
  onTestFinished(() => tryClose(journal));
  return { journal, failures, recoveries, tightened };
}

function tryClose(journal: Journal): void {
  try {
    journal.close();
  } catch {
    // Closed by the test already.
  }
}

export function intent(runId: string, changes: Partial<Intent> = {}): Intent {
  return {
    runId,
    canary: "success",
    workerId: "echo",
    expected: "completed",
    deadlineMs: 60_000,
    token: "probe-x",
    mark: null,
    intendedAtMs: NOW,
    ...changes,
  };
}

export const SUBMISSION: Exchange = {
  method: "POST",
  route: "submit",
  path: "/v1/workers/echo/jobs",
  key: "pro",
  requestBody: "{}",
  status: 202,
  headers: {},
  body: '{"job_uuid":"job-1"}',
  error: null,
  sentAtMs: NOW,
  receivedAtMs: NOW + 5,
};

export const SETTLED = {
  outcome: "success",
  why: "the job completed",
  end: "completed",
  submittedAtMs: NOW,
  settledAtMs: NOW + 500,
  stays: [],
  timed: true,
  traced: false,
  duration: null,
  seen: [],
  cost: { credits: 2, usd: 0.5 },
} as const;

/** What a probe that was killed after so many jobs left behind: the files as they were. */
export async function leftBehind(jobs: number): Promise<string> {
  const { path } = await folder();
  const { journal } = open(path);
  for (let n = 0; n < jobs; n += 1) {
    await journal.intend(intent(`run-${n}`), ONE_JOB);
    await journal.accept(`run-${n}`, `job-${n}`, null);
  }
  return await copied(path);
}

export async function copied(path: string): Promise<string> {
  const copy = await folder();
  for (const name of FILES) {
    if (existsSync(join(path, name))) copyFileSync(join(path, name), join(copy.path, name));
  }
  return copy.path;
}
