/** The bootstrap in a small checkout of its own: sets up once, apart from others, hands on. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../runner/package-root.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const MANIFEST = { name: "sample", version: "1.0.0", type: "module" };
const LOCK = { ...MANIFEST, lockfileVersion: 3, requires: true, packages: { "": MANIFEST } };

/** A checkout without dependencies, whose command line is the given program. */
async function checkout(program: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(path.join(ROOT, "tools", "setup"), path.join(folder, "tools", "setup"), {
    recursive: true,
  });
  await cp(path.join(ROOT, "tools", "run.mjs"), path.join(folder, "tools", "run.mjs"));
  await mkdir(path.join(folder, "cli"));
  await writeFile(path.join(folder, "package.json"), JSON.stringify(MANIFEST));
  await writeFile(path.join(folder, "package-lock.json"), JSON.stringify(LOCK));
  await writeFile(path.join(folder, "cli", "main.ts"), program);
  return folder;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(folder: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const command = [path.join(folder, "tools", "run.mjs"), ...args];
    execFile(process.execPath, command, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe("tools/run.mjs", () => {
  it("sets up once and passes arguments and exit code through", async () => {
    const folder = await checkout(
      "console.log(process.argv.slice(2).join());\nprocess.exit(42 as number);",
    );
    const first = await run(folder, "plumbline", "promises", "--json");
    expect(first).toMatchObject({ code: 42, stdout: "promises,--json\n" });
    expect(first.stderr).toMatch(/installing packages \(npm ci\) \.\.\.\n.*done in \d/);
    const second = await run(folder, "plumbline", "promises");
    expect(second).toMatchObject({ code: 42, stdout: "promises\n", stderr: "" });
  });

  it("installs again when the lock file has changed", async () => {
    const folder = await checkout("");
    await run(folder, "plumbline");
    await writeFile(path.join(folder, "package-lock.json"), `${JSON.stringify(LOCK)}\n`);
    expect((await run(folder, "plumbline")).stderr).toContain("installing packages");
  });

  it("installs once for two set-ups at the same time", async () => {
    const folder = await checkout('console.log("ran");');
    const both = await Promise.all([run(folder, "plumbline"), run(folder, "plumbline")]);
    expect(both.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "ran\n"],
      [0, "ran\n"],
    ]);
    const installs = both.flatMap(({ stderr }) => stderr.match(/npm ci\) \.\.\./g) ?? []);
    expect(installs).toHaveLength(1);
  });

  it("takes over the lock of a set-up that no longer lives", async () => {
    const folder = await checkout('console.log("ran");');
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "close");
    const lock = path.join(folder, ".plumbline", "setup.lock");
    await mkdir(lock, { recursive: true });
    const owner = { pid: dead.pid, host: os.hostname() };
    await writeFile(path.join(lock, "owner.json"), JSON.stringify(owner));
    expect((await run(folder, "plumbline")).stdout).toBe("ran\n");
  });

  it("says what failed and how to mend it, without a stack, with exit code 104", async () => {
    const folder = await checkout("");
    const unlocked = { ...MANIFEST, dependencies: { undici: "8.12.4" } };
    await writeFile(path.join(folder, "package.json"), JSON.stringify(unlocked));
    const { code, stderr } = await run(folder, "plumbline");
    expect(code).toBe(104);
    expect(stderr).toContain("npm ci failed with exit code 1; check that");
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("refuses an unknown command", async () => {
    const { code, stderr } = await run(await checkout(""), "plumblime");
    expect(code).toBe(104);
    expect(stderr).toBe(
      'plumbline set-up: unknown command "plumblime"; ' +
        "expected one of: plumbline, test, build, node\n",
    );
  });

  it("passes an interruption on and returns the command's own exit code", async () => {
    const folder = await checkout(
      'process.on("SIGINT", () => process.exit(105));\n' +
        'setInterval(() => {}, 1000);\nconsole.log("ready");',
    );
    const script = path.join(folder, "tools", "run.mjs");
    const child = spawn(process.execPath, [script, "plumbline"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(105);
  });
});

describe("package.json", () => {
  it("pins Node by integrity for each platform that has a package", async () => {
    const text = await readFile(path.join(ROOT, "tools", "node", "package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { version: string; integrity?: string }>;
    };
    const binaries = Object.entries(packages).filter(([name]) => name !== "");
    expect(binaries.length).toBeGreaterThanOrEqual(5);
    for (const [, { version, integrity }] of binaries) {
      expect(version).toMatch(/^24\./);
      expect(integrity).toMatch(/^sha512-/);
    }
  });
});
