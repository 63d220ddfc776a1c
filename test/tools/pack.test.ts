/** The package works when it is installed elsewhere, where Node strips no types. */

import { readFileSync } from "node:fs";
import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { findK6 } from "../../runner/find-k6.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const NAME = (JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { name: string })
  .name;
const TIME_LIMIT_MS = 120_000;

async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { path: K6_BIN } = await findK6({ env: process.env, onProgress: () => {} });
  const env = { ...process.env, K6_BIN };
  const result = await captureOutput(command, args, { cwd, env, timeLimitMs: TIME_LIMIT_MS });
  expect(result, `${command} ${args.join(" ")}`).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

/**
 * Installs the tarball as npm does, but with the dependencies of this checkout, offline: npm itself
 * puts the command in its place.
 */
async function installTarball(): Promise<string> {
  const folder = await temporaryFolder();
  await succeed("npm", ["pack", "--pack-destination", folder], ROOT);
  const modules = path.join(folder, "node_modules");
  const home = path.join(modules, NAME);
  await mkdir(home, { recursive: true });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await succeed("tar", ["-xzf", tarball, "--strip-components=1", "-C", home], folder);
  for (const name of await readdir(path.join(ROOT, "node_modules"))) {
    if (name.startsWith(".")) continue;
    await symlink(path.join(ROOT, "node_modules", name), path.join(modules, name));
  }
  await succeed("npm", ["rebuild", NAME, "--offline", "--ignore-scripts"], folder);
  return folder;
}

describe("the packed tarball", () => {
  it("lists the promises and judges the embedded service", async () => {
    const folder = await installTarball();
    const command = path.join(folder, "node_modules/.bin/plumbline");
    expect(await succeed(command, ["--help"], folder)).toContain("Usage: plumbline ");
    expect(await succeed(command, ["promises"], folder)).toContain("auth.missing-key");
    const report = await succeed(
      command,
      ["gate", "--only", "auth.missing-key", "--report", "report", "--json"],
      folder,
    );
    expect(JSON.parse(report)).toMatchObject({ exitCode: 0, counts: { kept: 1, broken: 0 } });
  }, 180_000);

  it("carries no tests, and only what it names", async () => {
    const listing = await succeed("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], ROOT);
    const [pack] = JSON.parse(listing.slice(listing.indexOf("["))) as [
      { filename: string; files: readonly { path: string }[] },
    ];
    // The documents install it by this name, which is nobody's in the registry.
    expect(pack.filename).toMatch(/^plumbline-suite-\d+\.\d+\.\d+\.tgz$/);
    expect(readFileSync(path.join(ROOT, "docs/ci.md"), "utf8")).toContain(`./${pack.filename}`);
    const folders = new Set(pack.files.map(({ path: file }) => file.split("/")[0]));
    const named = [
      ...[
        "dist",
        "docs",
        "CHANGELOG.md",
        "SECURITY.md",
        "contract",
        "dashboards",
        "scenarios",
        "schemas",
      ],
      "tools",
    ];
    const always = ["package.json", "LICENSE", "README.md"];
    expect([...folders].filter((each) => ![...named, ...always].includes(each ?? ""))).toEqual([]);
  }, 60_000);
});
