/** What was spent survives its journal: a damage costs history, never the ceiling. */

import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Intent } from "../../../probe/journal/records.ts";
import { stream } from "../../../simulation/chance.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import {
  copied,
  folder,
  intent,
  leftBehind,
  NOW,
  ONE_JOB,
  open,
  VERSION_1,
} from "./open-journal.ts";

const JOURNAL = "probe.db";
const LOG = "probe.db-wal";
const RECORD = "probe.db-spent";
const DAY_MS = 86_400_000;

/** Noise over a part of a file, as a bad sector leaves it. */
function spoil(path: string, from: number, bytes: number): void {
  const content = readFileSync(path);
  const draw = stream(1, path.slice(-12));
  const end = Math.min(content.length, Math.floor(from) + bytes);
  for (let at = Math.floor(from); at < end; at += 1) content[at] = Math.floor(draw() * 256);
  writeFileSync(path, content);
}

function rmAll(path: string): void {
  for (const name of [JOURNAL, LOG]) rmSync(join(path, name), { force: true });
}

const share = (file: string, of: number) => (path: string) => {
  spoil(join(path, file), statSync(join(path, file)).size * of, 4_096);
};

const DAMAGES: readonly [string, (path: string) => void][] = [
  ["the head of the file", share(JOURNAL, 0)],
  ["the middle of the file", share(JOURNAL, 0.5)],
  ["the head of the log", share(LOG, 0)],
  ["the middle of the log", share(LOG, 0.5)],
  ["an empty log", (path) => truncateSync(join(path, LOG), 0)],
  ["no log", (path) => rmSync(join(path, LOG))],
  ["half a file", (path) => truncateSync(join(path, JOURNAL), 4_096)],
  ["an empty file", (path) => writeFileSync(join(path, JOURNAL), "")],
  ["no file, and no log", (path) => rmAll(path)],
  ["no file, but its log", (path) => rmSync(join(path, JOURNAL))],
  ["another program's file", (path) => writeFileSync(join(path, JOURNAL), "no database")],
];

describe.each(DAMAGES)("%s", (_, damage) => {
  it.each([1, 60])(
    "leaves the spending of %i jobs known, once and after a restart",
    async (jobs) => {
      const path = await leftBehind(jobs);
      damage(path);
      const known = { jobs, credits: 2 * jobs, usd: 0.5 * jobs };
      for (const again of [open(path), open(await copied(path))]) {
        expect(again.journal.spent("day", NOW)).toEqual(known);
        expect(again.journal.spent("month", NOW)).toEqual(known);
        expect(again.journal.unknownSpending).toBeNull();
      }
    },
  );
});

/** Ways to lose the record. */
const LOSSES: readonly [string, (record: string) => void][] = [
  ["spoilt", (record) => spoil(record, 0, 8_192)],
  ["emptied", (record) => truncateSync(record, 0)],
  ["removed", (record) => rmSync(record)],
];

const UNKNOWN =
  /^the journal .*, nor could its record of what was spent$|^the record .* gone or can't be read/;

/** Opens what is left of it, as it was killed and after a restart, and accepts it then. */
function expectUnknownUntilAccepted(path: string): void {
  const { journal } = open(path);
  expect(journal.unknownSpending).toMatch(UNKNOWN);
  journal.close();
  const restarted = open(path);
  expect(restarted.journal.unknownSpending).toBe(journal.unknownSpending);
  restarted.journal.close();
  const accepted = open(path, "http://a", true);
  expect(accepted.journal.unknownSpending).toBeNull();
  accepted.journal.close();
  expect(open(path).journal.unknownSpending).toBeNull();
}

describe.each(LOSSES)("with its record %s", (loss, lose) => {
  // Where nothing at all is left it is a first start.
  const left = DAMAGES.filter(([name]) => loss === "spoilt" || name !== "no file, and no log");
  it.each(left)(
    covers("%s leaves what was spent unknown, until a person accepts it", "34 probe"),
    async (_, damage) => {
      const path = await leftBehind(60);
      damage(path);
      lose(join(path, RECORD));
      expectUnknownUntilAccepted(path);
    },
  );

  it("a journal that looks whole is believed no more than one that was cut short", async () => {
    const path = await leftBehind(3);
    lose(join(path, RECORD));
    expectUnknownUntilAccepted(path);
  });
});

it("a journal of the version before, once brought up, is held to its record", async () => {
  const { path } = await folder();
  const older = new DatabaseSync(join(path, JOURNAL));
  older.exec(readFileSync(VERSION_1, "utf8"));
  older.close();
  open(path);
  const copy = await copied(path);
  truncateSync(join(copy, LOG), 0);
  rmSync(join(copy, RECORD));
  expectUnknownUntilAccepted(copy);
});

it.each([0, 4_096])(
  covers("a slot of the record that is torn (at byte %i) costs nothing", "34 probe"),
  async (at) => {
    const path = await leftBehind(4);
    spoil(join(path, RECORD), at + 30, 20);
    truncateSync(join(path, LOG), 0);
    const { journal } = open(path);
    expect(journal.spent("day", NOW).jobs).toBe(4);
    expect(journal.unknownSpending).toBeNull();
  },
);

describe("a start that was killed", () => {
  it.each([
    ["before its record was written", { [RECORD]: "" }],
    ["before its journal was begun", { [JOURNAL]: "" }],
  ])("%s leaves nothing unknown", async (_, files) => {
    const { path } = await folder();
    open(path).journal.close();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    if (RECORD in files) rmSync(join(path, JOURNAL));
    expect(open(path).journal.unknownSpending).toBeNull();
  });

  it("while it set aside what it can't use leaves unknown what was spent", async () => {
    const path = await leftBehind(3);
    writeFileSync(join(path, JOURNAL), "no database");
    rmSync(join(path, RECORD));
    open(path);
    const copy = await folder();
    copyFileSync(join(path, RECORD), join(copy.path, RECORD));
    expect(open(copy.path).journal.unknownSpending).toMatch(UNKNOWN);
  });

  it("after which only what was set aside is left leaves unknown what was spent", async () => {
    const path = await leftBehind(3);
    writeFileSync(join(path, JOURNAL), "no database");
    open(path).journal.close();
    rmAll(path);
    rmSync(join(path, RECORD));
    const { journal } = open(path);
    expect(journal.unknownSpending).toMatch(UNKNOWN);
    journal.close();
    expect(open(path).journal.unknownSpending).toMatch(UNKNOWN);
  });
});

it("adds nothing to a journal that is whole, whatever runs came to cost", async () => {
  const { path } = await folder();
  const { journal } = open(path);
  const draw = stream(7, "costs");
  for (let n = 0; n < 60; n += 1) {
    const run: Partial<Intent> = { intendedAtMs: NOW - Math.floor(draw() * 3) * DAY_MS };
    await journal.intend(intent(`run-${n}`, run), ONE_JOB);
    const cost = { jobs: draw() < 0.2 ? 0 : 1, credits: Math.round(draw() * 40) / 10, usd: 0 };
    if (draw() < 0.7) await journal.amend(`run-${n}`, cost);
    if (n % 6 > 0) continue;
    const again = open(await copied(path));
    expect(again.failures).toEqual([]);
    const [day, month] = [again, { journal }].map((each) => each.journal.spent("month", NOW));
    expect(day).toEqual({ ...month, credits: expect.closeTo(month?.credits ?? Number.NaN, 6) });
  }
});

it("is unknown where a clock was ahead and the journal is lost", async () => {
  const path = await leftBehind(10);
  const ahead = open(path, "http://a", false, NOW + 31 * DAY_MS);
  ahead.journal.close();
  rmAll(path);
  const { journal } = open(path);
  expect(journal.unknownSpending).toMatch(/^the clock was set back since the record/);
});

it.each([JOURNAL, RECORD])(
  "%s that is a folder is refused, and nothing is set aside",
  async (name) => {
    const { path } = await folder();
    open(path).journal.close();
    rmSync(join(path, name));
    mkdirSync(join(path, name));
    const before = readdirSync(path);
    for (const _ of ["once", "and again"]) {
      expect(() => open(path)).toThrow(/expected a file that can be read and written/);
    }
    expect(readdirSync(path).filter((each) => each.includes("set-aside"))).toEqual([]);
    expect(before).toContain(name);
  },
);
