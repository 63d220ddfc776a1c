/** The plan for stock k6: printed without any key, refused with the reasons of the target file. */

import { describe, expect, it } from "vitest";

import type { RunPlan } from "../../contract/run-plan.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const TARGET = `
target: { baseUrl: "http://127.0.0.1:8080" }
keys:
  - { name: a, plan: free, env: KEY_A }
  - { name: b, plan: pro, env: KEY_B }
budget: { jobs: 40 }
`;

describe("plan", { timeout: 60_000 }, () => {
  it("names keys by their variable and holds none", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const environment = { KEY_A: "secret-a", KEY_B: "secret-b" };
    const run = await runCli(["plan", "--target", file, "--seed", "5"], { environment });
    expect(run.exitCode, run.stderr).toBe(0);
    const plan = JSON.parse(run.stdout) as RunPlan;
    expect(plan.keys.map(({ env }) => env)).toEqual(["KEY_A", "KEY_B"]);
    expect([plan.seed, plan.schemaVersion, plan.budget.jobs]).toEqual([5, 2, 40]);
    expect(run.stdout).not.toContain("secret");
  });

  it("gives a scenario its share of the budget, also where the keys are not at hand", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const run = await runCli(["plan", "--target", file, "--scenario", "rate-limit"]);
    expect(run.exitCode, run.stderr).toBe(0);
    expect((JSON.parse(run.stdout) as RunPlan).budget.jobs).toBeLessThan(40);
  });

  it("refuses a scenario that judges nothing of what was asked for", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const args = ["plan", "--target", file, "--scenario", "rate-limit", "--only", "auth"];
    const run = await runCli(args);
    expect(run.stderr).toMatch(/scenario "rate-limit" judges none of these promises/);
    expect(run.exitCode).toBe(104);
  });
});
