/** Completion as the shell does it, and explanations of every promise. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

import { explained } from "../../cli/explain/explain.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

async function completed(script: string, ...words: readonly string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(plumbline ${line}); COMP_CWORD=${words.length}; _plumbline`;
  const program = `${script}\n${ask}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program]);
  return stdout.trim().split("\n");
}

/** A fault, a choice, a scenario, a part and a profile. */
const VALUES = ["rate.burst/3-over", "limiter=gcra", "rate-limit", "success=", "standard"];
const WAITS = ["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"];

describe("completion", () => {
  let bashCompletion = "";
  beforeAll(async () => {
    bashCompletion = (await runCli(["completion", "bash"])).stdout;
  });

  it("completes commands, subcommands and options in bash", async () => {
    const script = bashCompletion;
    expect(await completed(script, "ga")).toEqual(["gate"]);
    expect(await completed(script, "gate", "--ti")).toEqual(["--time-scale"]);
    expect(await completed(script, "gate", "--target", "x.yaml", "--str")).toEqual(["--strict"]);
    expect(await completed(script, "judge", "report", "--str")).toEqual(["--strict"]);
    expect(await completed(script, "baseline", "a")).toEqual(["accept"]);
    expect(await completed(script, "baseline", "accept", "--b")).toEqual(["--baseline"]);
  });

  it.each([
    ["a fault", ["gate", "--fault", "webhook.wait-2/3-s-e"], ["webhook.wait-2/3-s-early"]],
    [
      "another fault",
      ["probe", "--fault", "a", "--fault", "rate.burst/3-o"],
      ["rate.burst/3-over"],
    ],
    ["a promise", ["explain", "webhook.wait-"], WAITS],
    ["the next promise of a list", ["gate", "--only", "rate,webhook.wait-2"], [`rate,${WAITS[1]}`]],
    ["a profile", ["gate", "--profile", ""], ["quick", "standard", "soak"]],
    ["a variant", ["gate", "--variant", ""], ["a", "b"]],
    ["an action", ["dashboards", "e"], ["export"]],
    ["a shell", ["completion", ""], ["bash", "zsh", "fish"]],
    ["a scenario", ["plan", "--scenario", "rate"], ["rate-limit"]],
    ["a part", ["init", "--worker", "suc"], ["success="]],
    [
      "a value behind =, which bash takes apart",
      ["reference", "--choice", "limiter", "=", "gc"],
      ["gcra"],
    ],
    ["the value of --option=", ["gate", "--profile", "=", "st"], ["standard"]],
    ["an option behind several values", ["compare", "--before", "a", "b", "--rat"], ["--rate"]],
    ["nothing for a number", ["gate", "--seed", ""], [""]],
    ["files by the shell for a file", ["gate", "--target", ""], [""]],
    ["folders for a folder, not files", ["gate", "--report", "cli/comm"], ["cli/commands"]],
    ["folders for an argument", ["judge", "cli/prog"], ["cli/program"]],
  ])("offers in bash %s", async (_, words, offered) => {
    expect(await completed(bashCompletion, ...words)).toEqual(offered);
  });

  it("leaves only files to bash itself", async () => {
    const asked = async (...words: readonly string[]) =>
      await completed(`compopt() { echo "$@"; }\n${bashCompletion}`, ...words);
    expect(await asked("gate", "--seed", "")).toEqual(["+o default"]);
    expect(await asked("gate", "--target", "")).toEqual([""]);
    expect(await asked("report", "a", "b", "")).toEqual([""]);
  });

  it.each(["zsh", "fish"])("names commands, options and values for %s", async (shell) => {
    const { stdout } = await runHere(["completion", shell]);
    for (const word of [
      "gate",
      "accept",
      "time-scale",
      "prometheus-rw",
      "webhook-listen",
      ...VALUES,
    ]) {
      expect(stdout).toContain(word);
    }
  });

  it("knows no other shell", async () => {
    const run = await runHere(["completion", "tcsh"]);
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
