/** The journal remembers what was acknowledged, and says so when it can't. */

import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { NOTHING_SPENT } from "../../../contract/limits/budget.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import {
  folder,
  intent,
  NOW,
  ONE_JOB,
  open,
  SETTLED,
  SUBMISSION,
  VERSION_1,
} from "./open-journal.ts";

/** A run of which nothing came to be known. */
const LEFT = {
  jobId: null,
  submission: null,
  observations: [],
  settled: null,
  stated: null,
  afterUntilMs: null,
};

/** Reads or changes the file of a closed journal behind its back. */
function withFile<T>(path: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(path, "probe.db"));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

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
    await first.settle("run-3", SETTLED, ONE_JOB, null);
    first.close();
    const left = open(path).journal.unfinished();
    expect(left).toEqual([
      {
        ...LEFT,
        intent: intent("run-1"),
        jobId: "job-1",
        submission: SUBMISSION,
        observations: [gap],
      },
      { ...LEFT, intent: intent("run-2") },
    ]);
  });

  it("knows what was spent today and this month, also by runs that are pruned", async () => {
    const { path } = await folder();
    const first = open(path).journal;
    await first.intend(intent("run-1"), ONE_JOB);
    await first.settle("run-1", SETTLED, ONE_JOB, null);
    expect(first.prune({ beforeMs: NOW + 1_000, bytesMax: 1e9 })).toBe(1);
    first.close();
    const { journal } = open(path);
    expect(journal.spent("day", NOW)).toEqual(ONE_JOB);
    expect(journal.spent("day", NOW + 86_400_000)).toEqual(NOTHING_SPENT);
    expect(journal.spent("month", NOW + 86_400_000)).toEqual(ONE_JOB);
  });

  it("knows where requests of the probe's own reached its receiver", async () => {
    const { path } = await folder();
    const first = open(path).journal;
    expect(first.reachedUrl()).toBeNull();
    await first.keepReached("https://hooks.test");
    first.close();
    const { journal } = open(path);
    expect(journal.reachedUrl()).toBe("https://hooks.test");
    await journal.keepReached(null);
    expect(journal.reachedUrl()).toBeNull();
  });
});

it("a folder where none can be is refused at once", () => {
  expect(() => open("/proc/no-such-folder/probe")).toThrow("expected a folder that can be written");
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

  it("is left as it was, bit by bit", async () => {
    const { path } = await folder();
    const other = new DatabaseSync(join(path, "probe.db"));
    other.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
    other.close();
    const before = readFileSync(join(path, "probe.db"));
    open(path);
    const aside = readdirSync(path).find((name) => /set-aside-.*Z$/.test(name)) ?? "";
    expect(readFileSync(join(path, aside))).toEqual(before);
  });

  it("is set aside when it is of a later version", async () => {
    const { path } = await folder();
    open(path).journal.close();
    withFile(path, (database) => database.exec("PRAGMA user_version = 99"));
    expect(open(path).failures.join()).toContain("its version is 99");
  });

  it(
    covers(
      "is set aside when half of it is gone; what can be read of the spending holds",
      "34 probe",
    ),
    async () => {
      const { path } = await folder();
      const { journal } = open(path);
      for (let n = 0; n < 50; n += 1) {
        await journal.intend(intent(`run-${n}`), ONE_JOB);
        await journal.accept(`run-${n}`, `job-${n}`, { ...SUBMISSION, body: "x".repeat(5_000) });
      }
      journal.close();
      const torn = await folder();
      const file = join(torn.path, "probe.db");
      copyFileSync(join(path, "probe.db"), file);
      const { truncateSync } = await import("node:fs");
      truncateSync(file, Math.floor(statSync(file).size / 2));
      const again = open(torn.path);
      expect(again.failures.join()).toContain("set aside");
      expect(again.failures.join()).toContain("charges were rescued");
      expect(again.journal.spent("month", NOW).jobs).toBeGreaterThan(0);
    },
  );

  it("is not set aside when another probe uses it", async () => {
    const { path } = await folder();
    await open(path).journal.intend(intent("run-1"), ONE_JOB);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "journal-in-use" }));
  });
});

describe("a journal whose log is torn", () => {
  it(covers("has what was committed before the tear", "34 probe"), async () => {
    const { path } = await folder();
    const { journal } = open(path);
    for (let n = 0; n < 20; n += 1) await journal.intend(intent(`run-${n}`), ONE_JOB);
    const copy = await folder();
    for (const suffix of ["", "-wal"]) {
      copyFileSync(join(path, `probe.db${suffix}`), join(copy.path, `probe.db${suffix}`));
    }
    const log = join(copy.path, "probe.db-wal");
    const bytes = readFileSync(log);
    writeFileSync(log, bytes.subarray(0, bytes.length - 1_000));
    const again = open(copy.path);
    expect(again.failures).toEqual([]);
    expect(again.journal.unfinished()).toHaveLength(19);
  });
});

describe("a journal of the version before", () => {
  it("is brought up, with its runs and what was spent", async () => {
    const { path } = await folder();
    withFile(path, (database) => database.exec(readFileSync(VERSION_1, "utf8")));
    const { journal, failures } = open(path);
    expect(failures).toEqual([]);
    expect(journal.unfinished()).toMatchObject([{ jobId: "job-1", intent: { canary: "success" } }]);
    expect(journal.spent("month", NOW)).toEqual(ONE_JOB);
    // It is from before there was a record beside it.
    expect(journal.unknownSpending).toBeNull();
    expect(journal.price("echo")).toEqual({ credits: 2, usd: 0.5 });
  });
});

describe("a row that can't be read back", () => {
  async function damaged(sql: string) {
    const { path } = await folder();
    const { journal } = open(path);
    await journal.intend(intent("run-1"), ONE_JOB);
    await journal.intend(intent("run-2"), ONE_JOB);
    await journal.accept("run-1", "job-1", SUBMISSION);
    await journal.note("run-1", 0, { kind: "gap", atMs: NOW });
    journal.close();
    withFile(path, (database) => database.exec(sql));
    const again = open(path);
    return { path, ...again, left: again.journal.unfinished() };
  }

  it("is put by with a message; the others go on, and it stays charged", async () => {
    const { journal, left, failures, path } = await damaged(
      "UPDATE runs SET intent = '{torn' WHERE run_id = 'run-1'",
    );
    expect(left.map((run) => run.intent.runId)).toEqual(["run-2"]);
    expect(failures.join()).toMatch(/set_aside: the intent of run run-1 \(job job-1\)/);
    expect(journal.spent("day", NOW).jobs).toBe(2);
    journal.close();
    const kept = withFile(path, (database) => database.prepare("SELECT * FROM spoilt").all());
    expect(kept).toMatchObject([{ run_id: "run-1", what: "intent", record: "{torn" }]);
  });

  it("is put by once, in however many starts its run is read", async () => {
    const { journal, path } = await damaged("SELECT 1");
    await journal.settle("run-1", SETTLED, ONE_JOB, null);
    await journal.settle("run-2", SETTLED, ONE_JOB, null);
    journal.close();
    withFile(path, (database) => {
      database.exec("UPDATE runs SET settled = '{torn' WHERE run_id = 'run-1'");
    });
    const said = [1, 2].flatMap(() => {
      const { journal: again, failures } = open(path);
      for (const most of [10, 5]) expect(again.history(most)).toMatchObject([{ runId: "run-2" }]);
      again.close();
      return failures;
    });
    expect(said).toEqual([expect.stringMatching(/^set_aside: the settled of run run-1 can't/)]);
    const kept = withFile(path, (database) => database.prepare("SELECT * FROM spoilt").all());
    expect(kept).toMatchObject([{ run_id: "run-1", what: "settled", record: "{torn" }]);
  });

  it("an observation or an answer alone does not lose the job", async () => {
    const { left, failures } = await damaged(
      "UPDATE observations SET observation = '7'; UPDATE runs SET submission = '[]'",
    );
    expect(left[0]).toMatchObject({ jobId: "job-1", submission: null, observations: [] });
    expect(failures.length).toBeGreaterThanOrEqual(2);
  });
});

describe("unfinished runs of another target", () => {
  it("are reported, and left to it", async () => {
    const { path } = await folder();
    const first = open(path, "http://old").journal;
    await first.intend(intent("run-1"), ONE_JOB);
    first.close();
    const { journal, failures } = open(path, "http://new");
    expect(failures.join()).toContain("elsewhere: 1 unfinished runs are of http://old");
    expect(journal.unfinished()).toEqual([]);
    journal.close();
    expect(open(path, "http://old").journal.unfinished()).toHaveLength(1);
  });
});

describe("a run with its verdict", () => {
  it("that is watched on is given back with both, until it is finished", async () => {
    const { path } = await folder();
    const first = open(path).journal;
    await first.intend(intent("run-1"), ONE_JOB);
    await first.settle("run-1", SETTLED, ONE_JOB, NOW + 60_000);
    first.close();
    const { journal } = open(path);
    const [left] = journal.unfinished();
    expect(left).toMatchObject({ settled: SETTLED, afterUntilMs: NOW + 60_000, stated: ONE_JOB });
    await journal.finish("run-1");
    expect(journal.unfinished()).toEqual([]);
  });

  it("has no stated cost before somebody said it, which may be later", async () => {
    const { path } = await folder();
    const { journal } = open(path);
    await journal.intend(intent("run-1"), ONE_JOB);
    await journal.settle("run-1", SETTLED, null, NOW + 60_000);
    const stated = () => [...journal.unfinished(), ...journal.history(1)].map((run) => run.stated);
    expect(stated()).toEqual([null, null]);
    await journal.amend("run-1", { ...ONE_JOB, credits: 3 });
    expect(stated()).toEqual(Array(2).fill({ ...ONE_JOB, credits: 3 }));
  });

  it("is history: the last of each canary, and its last success however old", async () => {
    const { path } = await folder();
    const { journal } = open(path);
    for (let n = 0; n < 6; n += 1) {
      await journal.intend(intent(`run-${n}`), ONE_JOB);
      const outcome = n === 0 ? "success" : "deadline";
      const settled = { ...SETTLED, outcome, settledAtMs: NOW + n } as const;
      await journal.settle(`run-${n}`, settled, ONE_JOB, null);
    }
    expect(journal.history(2).map(({ runId }) => runId)).toEqual(["run-0", "run-4", "run-5"]);
  });

  it("is history with what its submission asked for, where that is known", async () => {
    const { path } = await folder();
    const { journal: before } = open(path);
    const requestBody = JSON.stringify({ text: "a mark", webhook: "http://hooks.test/1" });
    for (const runId of ["run-1", "run-2", "run-3"]) {
      await before.intend({ ...intent(runId), mark: "a mark" }, ONE_JOB);
      if (runId !== "run-3") await before.accept(runId, runId, { ...SUBMISSION, requestBody });
      await before.settle(runId, SETTLED, ONE_JOB, null);
    }
    before.close();
    withFile(path, (file) =>
      file.exec("UPDATE runs SET submission = 'spoilt' WHERE run_id = 'run-2'"),
    );
    const { journal } = open(path);
    const asked = journal.history(3).map((run) => [run.runId, run.mark, run.requestBody]);
    expect(asked.toSorted()).toEqual([
      ["run-1", "a mark", requestBody],
      ["run-2", "a mark", null],
      ["run-3", "a mark", null],
    ]);
  });
});
