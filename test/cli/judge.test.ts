/** A run is judged again from its directory: the same verdicts, and what would change them. */

import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../../gate/recording.ts";
import type { Report } from "../../report/model.ts";
import { reportSchema } from "../../report/model.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function reportIn(folder: string): Promise<Report> {
  return reportSchema.parse(JSON.parse(await readFile(join(folder, "report.json"), "utf8")));
}

/** Ours: three scenarios on a busy machine. */
const LIMIT_MS = 600_000;

describe("judge", { timeout: LIMIT_MS }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let gate: CliRun;
  /** A run with the real k6, of a fault that no busy machine explains. */
  beforeAll(async () => {
    folder = await temporaryFolder();
    const only = ["--only", "timeout,rate.per-key,auth.missing-key,auth.invalid-key"];
    const fault = ["--fault", "auth.invalid-key/answers-403"];
    // Nobody listens there; but k6 judges where its metrics are sent.
    const metrics = ["--prometheus-rw", "http://127.0.0.1:1/api/v1/write"];
    gate = await runCli(["gate", ...only, ...fault, ...metrics, "--report", folder.path]);
  }, LIMIT_MS);
  afterAll(() => folder[Symbol.asyncDispose]());

  it("says of a run what its gate said, finding for finding", async () => {
    expect(gate.exitCode, gate.stderr).toBe(99);
    const again = await runCli(["judge", folder.path, "--json"]);
    expect(again.exitCode, again.stdout).toBe(99);
    expect(again.stderr).toContain("judged again: no verdict changed");
    const [before, after] = [
      await reportIn(folder.path),
      reportSchema.parse(JSON.parse(again.stdout)),
    ];
    expect(after.promises).toEqual(before.promises);
    expect(after.series).toEqual(before.series);
    await expectSameJudgement(folder.path);
    const elsewhere = ["judge", folder.path, "--target", join(folder.path, "missing.yml")];
    expect(await runHere(elsewhere)).toMatchObject({ exitCode: 104 });
    const verbose = await runHere(["judge", folder.path, "--verbose"]);
    expect(verbose.stdout).toMatch(/requests: rules out faults in more than \d/);
  });

  it("tells which verdict is another one now", async () => {
    await using other = await temporaryFolder();
    await cp(folder.path, other.path, { recursive: true });
    const report = await reportIn(other.path);
    const promises = report.promises.map((each) =>
      each.id === "auth.missing-key" ? { ...each, verdict: "broken" } : each,
    );
    await writeFile(join(other.path, "report.json"), JSON.stringify({ ...report, promises }));
    const again = await runHere(["judge", other.path]);
    const said = /1 verdict changed:[\s\S]*auth\.missing-key: was broken, is kept/;
    expect(again.stdout).toMatch(said);
    expect(again.exitCode).toBe(99);
  });

  it("refuses a directory without evidence, and evidence that it cannot read", async () => {
    await using empty = await temporaryFolder();
    const without = await runHere(["judge", empty.path]);
    expect(without.exitCode).toBe(104);
    expect(without.stderr).toMatch(
      /cannot read ".*evidence.jsonl" \(ENOENT\); expected the report/,
    );
    await writeFile(join(empty.path, "evidence.jsonl"), '{"type":"run","schemaVersion":9}\n');
    const unknown = await runHere(["judge", empty.path]);
    expect(unknown.exitCode).toBe(104);
    expect(unknown.stderr).toContain("line 1: schemaVersion is 9; expected 2");
  });
});

/** What k6 judged of its observations is what Node made of them. */
async function expectSameJudgement(folder: string): Promise<void> {
  const { runs } = readRecording(await readFile(join(folder, "evidence.jsonl"), "utf8"));
  // What a busy machine left in doubt was asked once more.
  const names = new Set(runs.map(({ scenario }) => scenario.name));
  expect([...names].sort()).toEqual(["contract", "rate-limit", "timeout"]);
  for (const { raw, records } of runs) {
    const judgedIn = (all: typeof raw) => all.filter((record) => "judged" in record);
    expect(judgedIn(raw)).not.toEqual([]);
    expect(judgedIn(records)).toEqual(judgedIn(raw));
  }
}
