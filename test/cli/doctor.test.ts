/** `plumbline doctor`: what a machine has, and what to do about what it lacks. */

import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { NODE_MAJOR_MIN } from "../../cli/node-version.ts";
import { ROOT } from "../../runner/package-root.ts";
import { k6Here } from "../runner/k6-here.ts";
import { MAIN } from "./main-file.ts";
import { environmentOf, runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const LIMIT_MS = 600_000;

it("finds everything in order where the gate would run", { timeout: LIMIT_MS }, async () => {
  const { path: K6_BIN } = await k6Here();
  await using folder = await temporaryFolder();
  const environment = { K6_BIN, PLUMBLINE_CACHE: folder.path, TMPDIR: folder.path };
  const { exitCode, stdout } = await runCli(["doctor"], { environment });
  expect(exitCode).toBe(0);
  expect(stdout.match(/^\w+ +[a-z0-9 ]+?(?= {2})/gm)).toHaveLength(5);
  expect(/^ok +k6 +2\.[\d.]+ \((.*)\)$/m.exec(stdout)?.[1]).toBe(K6_BIN);
});

it("names a k6 that is not there and a folder that can't be written", async () => {
  await using folder = await temporaryFolder();
  const taken = path.join(folder.path, "taken");
  await writeFile(taken, "");
  const environment = { K6_BIN: path.join(folder.path, "no-k6"), PLUMBLINE_CACHE: taken };
  const { exitCode, stdout } = await runCli(["doctor"], { environment });
  expect(exitCode).toBe(104);
  expect(stdout).toMatch(/^missing +k6 .*no-k6/m);
  expect(stdout).toMatch(/^missing +cache .*not writable .*; set PLUMBLINE_CACHE to/m);
});

it("misses a loopback network that is down", async () => {
  const alone = ["--map-root-user", "--net", process.execPath, MAIN, "doctor"];
  const { stdout } = spawnSync("unshare", alone, { encoding: "utf8", env: environmentOf() });
  expect(stdout).toMatch(
    /^missing +loopback .*\(ENETUNREACH\); .* bring the loopback network up$/m,
  );
});

it("misses a loopback network that drops all that is sent", () => {
  const drop = 'ip link set lo up && tc qdisc add dev lo root pfifo limit 0 && exec "$@"';
  const alone = [
    "--map-root-user",
    "--net",
    "sh",
    "-c",
    drop,
    "",
    process.execPath,
    MAIN,
    "doctor",
  ];
  const { stdout } = spawnSync("unshare", alone, { encoding: "utf8", env: environmentOf() });
  expect(stdout).toMatch(/^missing +loopback .*\(ETIMEDOUT\); .* bring the loopback network up$/m);
});

it("needs the Node that package.json needs", async () => {
  const file = path.join(ROOT, "package.json");
  const { engines } = JSON.parse(await readFile(file, "utf8")) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${NODE_MAJOR_MIN}`);
});
