/** `plumbline promises`: the list, and what a run of a target would rule out of it. */

import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Nothing listens there: nothing may be sent. */
const TARGET = `
target: { baseUrl: "http://127.0.0.1:9" }
keys:
  - { name: a, plan: free, env: KEY_A }
workers:
  success: { id: anything, input: { whatever: 1 } }
`;

describe("promises", () => {
  it("lists all of them", async () => {
    const { stdout, exitCode } = await runCli(["promises"]);
    expect(exitCode).toBe(0);
    for (const id of PROMISE_IDS) expect(stdout).toContain(`  ${id} `);
  });

  it("tells with a target what a run would rule out and what the file lacks", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const run = await runHere(["promises", "--target", file, "--profile", "standard"]);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/auth\.missing-key +3 requests: rules out faults in more than 63/);
    expect(run.stdout).toMatch(
      /cancel\.queued +not judged: .*; the file lacks .*cancel: \{ method/,
    );
    expect(run.stdout).toMatch(/\d+ of 82 promises would be judged/);
  });

  it("tells the same as JSON", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const { stdout } = await runHere(["promises", "--target", file, "--json"]);
    const rows = JSON.parse(stdout) as { id: string; isJudged: boolean; lacking: string[] }[];
    expect(rows.map(({ id }) => id).sort()).toEqual([...PROMISE_IDS].sort());
    const publish = rows.find(({ id }) => id === "workers.publish");
    expect(publish).toMatchObject({
      isJudged: false,
      lacking: [expect.stringMatching(/^publish:/)],
    });
  });

  it("refuses a profile where no target is named", async () => {
    const run = await runHere(["promises", "--profile", "standard"]);
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/--profile describes a run; expected --target as well/);
  });
});
