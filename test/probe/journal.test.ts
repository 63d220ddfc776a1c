/** The journal remembers what was acknowledged, and says so when it can't. */

import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { Exchange } from "../../contract/exchange.ts";
import type { Settled } from "../../probe/events.ts";
import { ceilingsOf, NOTHING_SPENT, refusalOf } from "../../probe/journal/budget.ts";
import type { Journal } from "../../probe/journal/journal.ts";
import { openJournal } from "../../probe/journal/journal.ts";
import type { Intent } from "../../probe/journal/records.ts";
import type { TemporaryFolder } from "../cli/temporary-folder.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { BASE_TARGET } from "../gate/base-target.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const ONE_JOB = { jobs: 1, credits: 2, usd: 0.5 };

const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function folder(): Promise<TemporaryFolder> {
  const made = await temporaryFolder();
  opened.push(() => made[Symbol.asyncDispose]());
  return made;
}

function open(stateDir: string) {
  const failures: string[] = [];
  const onFailure = (what: string, why: string) => failures.push(`${what}: ${why}`);
  const journal = openJournal({ stateDir, baseUrl: "http://a", onFailure }, NOW);
  opened.push(() => tryClose(journal));
  return { journal, failures };
}

function tryClose(journal: Journal): void {
  try {
    journal.close();
  } catch {
    // Closed by the test already.
  }
}

function intent(runId: string): Intent {
  return {
    runId,
    canary: "success",
    workerId: "echo",
    expected: "completed",
    deadlineMs: 60_000,
    token: "probe-x",
    mark: null,
    intendedAtMs: NOW,
  };
}

const SUBMISSION: Exchange = {
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

const SETTLED: Settled = {
  outcome: "success",
  why: "ended completed",
  end: "completed",
  submittedAtMs: NOW,
  settledAtMs: NOW + 500,
  stays: [],
  timed: true,
  cost: ONE_JOB,
};

describe("a journal that is opened again", () => {
  it("has the runs without a verdict, with their identifier and observations", async () => {
    const { path } = await folder();
    const first = open(path).journal;
    await first.intend(intent("run-1"), ONE_JOB);
    await first.intend(intent("run-2"), ONE_JOB);
    await first.intend(intent("run-3"), ONE_JOB);
    await first.accept("run-1", "job-1", SUBMISSION);
    const gap = { kind: "gap", atMs: NOW } as const;
    await first.note("run-1", 0, gap);
    await first.settle("run-3", SETTLED, ONE_JOB);
    first.close();
    const left = open(path).journal.unfinished();
    expect(left).toEqual([
      { intent: intent("run-1"), jobId: "job-1", submission: SUBMISSION, observations: [gap] },
      { intent: intent("run-2"), jobId: null, submission: null, observations: [] },
    ]);
  });

  it("knows what was spent today and this month, also by runs that are pruned", async () => {
    const { path } = await folder();
    const first = open(path).journal;
    await first.intend(intent("run-1"), ONE_JOB);
    await first.settle("run-1", SETTLED, ONE_JOB);
    expect(first.prune(NOW + 1_000)).toBe(1);
    first.close();
    const { journal } = open(path);
    expect(journal.spent("day", NOW)).toEqual(ONE_JOB);
    expect(journal.spent("day", NOW + 86_400_000)).toEqual(NOTHING_SPENT);
    expect(journal.spent("month", NOW + 86_400_000)).toEqual(ONE_JOB);
  });
});

describe("a file that is no journal", () => {
  it("is set aside with a message when it is no database", async () => {
    const { path } = await folder();
    writeFileSync(join(path, "probe.db"), "not a database, but precious".repeat(100));
    const { journal, failures } = open(path);
    await journal.intend(intent("run-1"), ONE_JOB);
    expect(failures.join()).toContain("set_aside: the journal was set aside as");
    expect(readdirSync(path).some((name) => name.includes("set-aside"))).toBe(true);
  });

  it("is set aside when it is another program's", async () => {
    const { path } = await folder();
    const other = new DatabaseSync(join(path, "probe.db"));
    other.exec("CREATE TABLE theirs (a)");
    other.close();
    expect(open(path).failures.join()).toContain("another program's");
  });

  it("is set aside when half of it is gone", async () => {
    const { path } = await folder();
    const { journal } = open(path);
    for (let n = 0; n < 50; n += 1) await journal.intend(intent(`run-${n}`), ONE_JOB);
    journal.close();
    const torn = await folder();
    copyFileSync(join(path, "probe.db"), join(torn.path, "probe.db"));
    const bytes = new DatabaseSync(join(torn.path, "probe.db"));
    bytes.close();
    const { truncateSync, statSync } = await import("node:fs");
    const file = join(torn.path, "probe.db");
    truncateSync(file, Math.floor(statSync(file).size / 2));
    expect(open(torn.path).failures.join()).toContain("set aside");
  });

  it("is not set aside when another probe uses it", async () => {
    const { path } = await folder();
    await open(path).journal.intend(intent("run-1"), ONE_JOB);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "journal-in-use" }));
  });
});

describe("the budget", () => {
  it("refuses the job that would cross a ceiling, and says which", () => {
    const ceilings = { day: { jobs: 2, credits: null, usd: null }, month: null };
    const spent = (jobs: number) => ({
      day: { ...NOTHING_SPENT, jobs },
      month: { ...NOTHING_SPENT, jobs },
    });
    expect(refusalOf(ceilings, spent(1), ONE_JOB)).toBeNull();
    expect(refusalOf(ceilings, spent(2), ONE_JOB)).toBe("2 jobs spent this day; the budget is 2");
  });

  it("without any in the target file is what the intervals come to, and some", () => {
    expect(ceilingsOf(BASE_TARGET, []).day?.jobs).toBe(0);
  });
});
