/** The plan for stock k6: printed without any key, refused with the reasons of the target file. */

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

import type { RunPlan } from "../../contract/run/run-plan.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const TARGET = `
target: { baseUrl: "http://127.0.0.1:8080" }
keys:
  - { name: a, plan: free, env: KEY_A }
  - { name: b, plan: pro, env: KEY_B }
budget: { jobs: 40 }
`;

describe("plan", () => {
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
    const run = await runHere(["plan", "--target", file, "--scenario", "rate-limit"]);
    expect(run.exitCode, run.stderr).toBe(0);
    expect((JSON.parse(run.stdout) as RunPlan).budget.jobs).toBeLessThan(40);
  });

  it("refuses a scenario that judges nothing of what was asked for", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const args = ["plan", "--target", file, "--scenario", "rate-limit", "--only", "auth"];
    const run = await runHere(args);
    expect(run.stderr).toMatch(/scenario "rate-limit" judges none of these promises/);
    expect(run.exitCode).toBe(104);
  });

  it("writes a file that holds nothing but the plan, and says where on stderr", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", TARGET);
    const out = `${folder.path}/plan.json`;
    const run = await runHere(["plan", "--target", file, "--out", out]);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, "", `wrote ${out}\n`]);
    expect((JSON.parse(await readFile(out, "utf8")) as RunPlan).keys).toHaveLength(2);
  });

  it("writes the order of a capacity step", async () => {
    await using folder = await temporaryFolder();
    const text = `${TARGET}workers: { success: { id: echo } }\n`;
    const file = await folder.write("plumbline.yaml", text);
    const capacity = ["plan", "--target", file, "--scenario", "capacity", "--rate"];
    const { stdout, exitCode, stderr } = await runHere([...capacity, "20"]);
    expect(exitCode, stderr).toBe(0);
    const plan = JSON.parse(stdout) as RunPlan;
    expect(plan.capacity).toMatchObject({ of: "jobs", ratePerSecond: 20 });
    expect(plan.roles.loaded).toEqual(["b"]);
    const without = await runHere(["plan", "--target", file, "--rate", "20"]);
    expect(without.stderr).toContain("expected --scenario capacity beside it");
    expect(without.exitCode).toBe(104);
  });
});
