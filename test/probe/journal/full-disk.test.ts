/** A disk that is full, and history that grows: what must be kept is kept, the rest goes. */

import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createTables } from "../../../probe/journal/file.ts";
import { journalOn } from "../../../probe/journal/journal.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { fakeClock } from "../fake-clock.ts";
import { folder, intent, NOW, ONE_JOB, open, SETTLED, SUBMISSION } from "./open-journal.ts";

/** A database that SQLite itself calls full beyond that many pages. */
function openSmall() {
  const database = new DatabaseSync(":memory:");
  createTables(database);
  const said: string[] = [];
  const journal = journalOn(database, "/nowhere", {
    baseUrl: "http://a",
    clock: fakeClock(NOW),
    redact: (text) => text,
    onFailure: (what) => said.push(what),
    onRecovered: () => said.push("recovered"),
    record: null,
  });
  const { page_count } = database.prepare("PRAGMA page_count").get() ?? {};
  const limit = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`);
  return { database, journal, said, limit, pages: Number(page_count) };
}

const LONG = { ...SUBMISSION, body: "x".repeat(50_000) };

it(
  covers("on a full disk no run is begun; those in flight are kept, and written later", "35 probe"),
  async () => {
    const { journal, said, limit, pages } = openSmall();
    await journal.intend(intent("run-1"), ONE_JOB);
    limit(pages);
    await expect(journal.accept("run-1", "job-1", LONG)).rejects.toThrow("can't be written");
    expect(journal.writable).toBe(false);
    await expect(journal.intend(intent("run-2"), ONE_JOB)).rejects.toThrow("full");
    expect(journal.spent("day", NOW).jobs).toBe(1);
    limit(100_000);
    await journal.beat(NOW);
    expect(journal.writable).toBe(true);
    expect(journal.unfinished()).toMatchObject([{ intent: { runId: "run-1" }, jobId: "job-1" }]);
    expect(said).toEqual(["write", "write", "recovered"]);
    journal.close();
  },
);

it(
  covers("a run that can't be read stays in the journal until it can be put by", "35 probe"),
  async () => {
    const { database, journal, said, limit, pages } = openSmall();
    const runs = () => database.prepare("SELECT run_id FROM runs").all();
    const putBy = () => database.prepare("SELECT run_id, record FROM spoilt").all();
    const torn = `{${"x".repeat(50_000)}`;
    await journal.intend(intent("run-1"), ONE_JOB);
    await journal.intend(intent("run-2"), ONE_JOB);
    database.prepare("UPDATE runs SET intent = ? WHERE run_id = 'run-1'").run(torn);
    limit(pages);
    expect(journal.unfinished()).toMatchObject([{ intent: { runId: "run-2" } }]);
    await expect(journal.intend(intent("run-3"), ONE_JOB)).rejects.toThrow("full");
    expect([runs(), putBy()]).toEqual([[{ run_id: "run-1" }, { run_id: "run-2" }], []]);
    limit(100_000);
    await journal.beat(NOW);
    expect([runs(), putBy()]).toEqual([[{ run_id: "run-2" }], [{ run_id: "run-1", record: torn }]]);
    expect(said).toEqual(["set_aside", "write", "recovered"]);
    journal.close();
  },
);

it("on a disk that takes nothing, the other runs are read all the same", async () => {
  const { database, journal } = openSmall();
  await journal.intend(intent("run-1"), ONE_JOB);
  await journal.intend(intent("run-2"), ONE_JOB);
  database.exec("UPDATE runs SET intent = '{torn' WHERE run_id = 'run-1'");
  database.exec("PRAGMA query_only = 1");
  expect(journal.unfinished()).toMatchObject([{ intent: { runId: "run-2" } }]);
  await expect(journal.beat(NOW)).rejects.toThrow("readonly");
  database.exec("PRAGMA query_only = 0");
  await journal.beat(NOW);
  expect(database.prepare("SELECT run_id FROM spoilt").all()).toEqual([{ run_id: "run-1" }]);
  journal.close();
});

it("a record that breaks a rule is refused alone", async () => {
  const { journal } = openSmall();
  const twice = [
    journal.intend(intent("run-1"), ONE_JOB),
    journal.intend(intent("run-1"), ONE_JOB),
  ];
  const other = journal.intend(intent("run-2"), ONE_JOB);
  await expect(twice[1]).rejects.toThrow("UNIQUE");
  await Promise.all([twice[0], other]);
  expect(journal.unfinished()).toHaveLength(2);
  expect(journal.writable).toBe(true);
  journal.close();
});

it(
  covers("history beyond its size goes, oldest first, and the file becomes smaller", "40 probe"),
  async () => {
    const { path } = await folder();
    const { journal } = open(path);
    for (let n = 0; n < 1_200; n += 1) {
      void journal.intend(intent(`run-${n}`), ONE_JOB);
      void journal.accept(`run-${n}`, `job-${n}`, { ...SUBMISSION, body: "x".repeat(2_000) });
      void journal.settle(`run-${n}`, { ...SETTLED, settledAtMs: NOW + n }, ONE_JOB, null);
    }
    await journal.intend(intent("open"), ONE_JOB);
    const before = journal.bytes();
    const removed = journal.prune({ beforeMs: 0, bytesMax: 1_000_000 });
    expect(removed).toBeGreaterThanOrEqual(500);
    expect(journal.bytes()).toBeLessThan(before / 2);
    expect(journal.unfinished()).toHaveLength(1);
    expect(journal.spent("month", NOW).jobs).toBe(1_201);
  },
);
