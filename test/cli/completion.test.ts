/** Completion as the shell does it, and explanations of every promise. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { explained } from "../../cli/explain/explain.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { runCli } from "./run-cli.ts";

async function completed(script: string, ...words: readonly string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(plumbline ${line}); COMP_CWORD=${words.length}; _plumbline`;
  const program = `${script}\n${ask}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program]);
  return stdout.trim().split("\n");
}

describe("completion", { timeout: 120_000 }, () => {
  it("completes commands, subcommands and options in bash", async () => {
    const { stdout: script, exitCode } = await runCli(["completion", "bash"]);
    expect(exitCode).toBe(0);
    expect(await completed(script, "ga")).toEqual(["gate"]);
    expect(await completed(script, "gate", "--ti")).toEqual(["--time-scale"]);
    expect(await completed(script, "gate", "--target", "x.yaml", "--str")).toEqual(["--strict"]);
    expect(await completed(script, "judge", "report", "--str")).toEqual(["--strict"]);
    expect(await completed(script, "baseline", "a")).toEqual(["accept"]);
    expect(await completed(script, "baseline", "accept", "--b")).toEqual(["--baseline"]);
  });

  it.each(["zsh", "fish"])("names every command and its options for %s", async (shell) => {
    const { stdout } = await runCli(["completion", shell]);
    for (const word of ["gate", "accept", "time-scale", "prometheus-rw", "webhook-listen"]) {
      expect(stdout).toContain(word);
    }
  });

  it("knows no other shell", async () => {
    const run = await runCli(["completion", "tcsh"]);
    expect(run.stderr).toContain('unknown value "tcsh"; expected one of: bash, zsh, fish');
    expect(run.exitCode).toBe(104);
  });
});

describe("explain", () => {
  it.each(PROMISE_IDS)("says how %s is judged, what breaks it and what to do", (id) => {
    const { judged, causes, remedy, rulesOut, faults } = explained(id);
    expect(Math.min(judged.length, causes.length, remedy.length)).toBeGreaterThan(10);
    expect(rulesOut).not.toBeNull();
    expect(faults.length).toBeGreaterThan(0);
  });
});
