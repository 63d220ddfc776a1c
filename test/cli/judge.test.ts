/** A run is judged again from its directory: the same verdicts, and what would change them. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../gate/recording.ts";
import type { Report } from "../../report/model.ts";
import { reportSchema } from "../../report/model.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function reportIn(folder: string): Promise<Report> {
  return reportSchema.parse(JSON.parse(await readFile(join(folder, "report.json"), "utf8")));
}

describe("judge", { timeout: 180_000 }, () => {
  it("says of a run with the real k6 what its gate said, finding for finding", async () => {
    await using folder = await temporaryFolder();
    const only = ["--only", "timeout,rate.per-key,auth.missing-key"];
    const fault = ["--fault", "timeout.fires/completes"];
    const gate = await runCli(["gate", ...only, ...fault, "--report", folder.path]);
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
    expect(await runCli(elsewhere)).toMatchObject({ exitCode: 104 });
    const verbose = await runCli(["judge", folder.path, "--verbose"]);
    expect(verbose.stdout).toMatch(/requests: rules out faults in more than \d/);
  });

  it("tells which verdict is another one now", async () => {
    await using folder = await temporaryFolder();
    await runCli(["gate", "--only", "auth.header-case", "--report", folder.path]);
    const report = await reportIn(folder.path);
    const promises = report.promises.map((each) =>
      each.id === "auth.header-case" ? { ...each, verdict: "broken" } : each,
    );
    await writeFile(join(folder.path, "report.json"), JSON.stringify({ ...report, promises }));
    const again = await runCli(["judge", folder.path]);
    expect(again.stdout).toContain("auth.header-case: was broken, is kept");
    expect(again.exitCode).toBe(0);
  });

  it("refuses a directory without evidence, and evidence that it cannot read", async () => {
    await using folder = await temporaryFolder();
    const without = await runCli(["judge", folder.path]);
    expect(without.exitCode).toBe(104);
    expect(without.stderr).toMatch(
      /cannot read ".*evidence.jsonl" \(ENOENT\); expected the report/,
    );
    await writeFile(join(folder.path, "evidence.jsonl"), '{"type":"run","schemaVersion":9}\n');
    const unknown = await runCli(["judge", folder.path]);
    expect(unknown.exitCode).toBe(104);
    expect(unknown.stderr).toContain("line 1: schemaVersion is 9; expected 2");
  });
});

/** What k6 judged of its observations is what Node made of them. */
async function expectSameJudgement(folder: string): Promise<void> {
  const { runs } = readRecording(await readFile(join(folder, "evidence.jsonl"), "utf8"));
  expect(runs.map(({ scenario }) => scenario.name).sort()).toEqual([
    "contract",
    "rate-limit",
    "timeout",
  ]);
  for (const { raw, records } of runs) {
    const judgedIn = (all: typeof raw) => all.filter((record) => "judged" in record);
    expect(judgedIn(records)).toEqual(judgedIn(raw));
  }
}
