/** The unit of the probe: systemd takes it as it is, and it leaves the probe what it needs. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const NAME = "plumbline-probe.service";
const FILE = path.join(import.meta.dirname, "../../deploy/systemd", NAME);
const unit = await readFile(FILE, "utf8");

/** Ours: tenths. The unit has 13 by systemd 252; other versions may count a little more. */
const EXPOSURE_MAX = 20;

/** Where it is installed to, a Node is; here it may be elsewhere. */
async function analyze(args: readonly string[], text: string) {
  const file = path.join(await temporaryFolder(), NAME);
  await writeFile(file, text.replace("/usr/bin/node", process.execPath));
  const run = await captureOutput("systemd-analyze", [...args, file], {
    env: process.env,
    timeLimitMs: 60_000,
  });
  expect(run.missing, "no systemd-analyze; install it: apt-get install systemd").toBe(false);
  return run;
}

describe("systemd", () => {
  it("finds nothing wrong in it", async () => {
    expect(await analyze(["verify"], unit)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it.each([
    ["a setting that there is not", "ProtectSystem=strict", "ProtectSystems=strict"],
    ["a value that is none", "Type=exec", "Type=always"],
    ["a program that is not there", "/usr/bin/node", "/usr/bin/no-node"],
  ])("would find %s", async (_, was, is) => {
    expect(unit).toContain(was);
    const { exitCode, stderr } = await analyze(["verify"], unit.replace(was, is));
    expect([exitCode, stderr]).not.toEqual([0, ""]);
  });

  const security = ["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`];

  it("calls it hardly exposed", async () => {
    expect(await analyze(security, unit)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["the machine kept from it", /^Protect.*$/gm],
    ["a bound on what it may", /^CapabilityBoundingSet=.*$/m],
    ["a filter of system calls", /^SystemCallFilter=.*$/gm],
  ])("would not without %s", async (_, setting) => {
    expect(await analyze(security, unit.replace(setting, ""))).toMatchObject({ exitCode: 1 });
  });
});

it("calls the probe with options that it has", async () => {
  const command = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit)?.[1] ?? "";
  const options = [...command.matchAll(/ (--(?!disable)[a-z-]+)/g)].map(
    ([, option = ""]) => option,
  );
  const { stdout } = await runCli(["probe", "--help"]);
  expect(options).toContain("--target");
  expect(options.filter((option) => !stdout.includes(option))).toEqual([]);
});
