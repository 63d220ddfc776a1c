/** Where k6 is looked for, in which order, and what is said when it can't be had. */

import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findK6, wayToK6 } from "../../runner/find-k6.ts";
import { cachedK6Path } from "../../runner/k6-cache.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A program that states a version as k6 does. */
async function standIn(folder: string, name: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\necho "k6 v${version} (go1.26.0, linux/amd64)"\n`);
  await chmod(file, 0o755);
  return file;
}

/** An environment in which nothing is found but what the test puts there. */
async function emptyEnvironment() {
  const folder = await temporaryFolder();
  const bin = path.join(folder, "bin");
  return { folder, bin, env: { PATH: bin, PLUMBLINE_CACHE: path.join(folder, "cache") } };
}

const find = (env: Readonly<Record<string, string>>) => findK6({ env, onProgress: () => {} });

describe("findK6", () => {
  it("prefers K6_BIN to PATH", async () => {
    const { folder, bin, env } = await emptyEnvironment();
    await standIn(bin, "k6", "2.1.0");
    const chosen = await standIn(folder, "mine", "2.4.0");
    expect(await find({ ...env, K6_BIN: chosen })).toEqual({ path: chosen, version: "2.4.0" });
  });

  it.each([
    ["1.7.1", "is k6 1.7.1; expected k6 2.x"],
    ["of its own", "is no k6 that starts; expected k6 2.x"],
  ])("refuses a K6_BIN of version %s instead of looking elsewhere", async (version, message) => {
    const { folder, bin, env } = await emptyEnvironment();
    await standIn(bin, "k6", "2.2.0");
    const chosen = await standIn(folder, "mine", version);
    await expect(find({ ...env, K6_BIN: chosen })).rejects.toMatchObject({
      code: "k6-bin-unusable",
      message: expect.stringContaining(message) as string,
    });
  });

  it("fetches the release where that is asked for, though Go could build it", async () => {
    const { bin, env } = await emptyEnvironment();
    await mkdir(bin);
    await writeFile(path.join(bin, "go"), "#!/bin/sh\necho go1.26.0\n", { mode: 0o755 });
    expect(await wayToK6(env)).toMatchObject({ kind: "build", go: "1.26.0" });
    const way = await wayToK6({ ...env, PLUMBLINE_K6_FROM: "release" });
    expect(way).toMatchObject({ kind: "fetch", goReason: "PLUMBLINE_K6_FROM asks for it" });
    await expect(wayToK6({ ...env, PLUMBLINE_K6_FROM: "source" })).rejects.toMatchObject({
      message: "PLUMBLINE_K6_FROM=source is unknown; expected release, or nothing",
    });
  });

  it("takes k6 2.x from PATH before the cache", async () => {
    const { bin, env } = await emptyEnvironment();
    const onPath = await standIn(bin, "k6", "2.9.0");
    const cached = await cachedK6Path(env);
    await standIn(path.dirname(cached), path.basename(cached), "2.2.0");
    expect(await find(env)).toEqual({ path: onPath, version: "2.9.0" });
  });

  it("passes over a k6 1.x on PATH and takes the cached build", async () => {
    const { bin, env } = await emptyEnvironment();
    await standIn(bin, "k6", "1.7.1");
    const cached = await cachedK6Path(env);
    await standIn(path.dirname(cached), path.basename(cached), "2.2.0");
    expect(await find(env)).toEqual({ path: cached, version: "2.2.0" });
  });

  it("names the k6 1.x on PATH where none fits, and what to install", async () => {
    const { bin, env } = await emptyEnvironment();
    const old = await standIn(bin, "k6", "1.7.1");
    const way = await wayToK6(env);
    expect(way).toMatchObject({ kind: "fetch", nothing: `no k6 2.x found (${old} is k6 1.7.1)` });
  });

  it("says which folder is to be made writable where the cache can't be made", async () => {
    const { folder, bin, env } = await emptyEnvironment();
    await standIn(bin, "k6", "1.7.1");
    await writeFile(path.join(folder, "cache"), "");
    await writeFile(path.join(bin, "go"), "#!/bin/sh\necho go1.25.0\n", { mode: 0o755 });
    await expect(find(env)).rejects.toMatchObject({
      code: "k6-cache-unwritable",
      message: expect.stringMatching(/cache.*\((EEXIST|ENOTDIR)\); set PLUMBLINE_CACHE/) as string,
    });
  });

  it("caches by go.sum, below PLUMBLINE_CACHE or XDG's folder", async () => {
    expect(await cachedK6Path({ PLUMBLINE_CACHE: "/c" })).toMatch(
      /^\/c\/k6\/2\.2\.0-[0-9a-f]{12}\/k6$/,
    );
    expect(await cachedK6Path({ XDG_CACHE_HOME: "/x", HOME: "/h" })).toMatch(
      /^\/x\/plumbline\/k6\//,
    );
    expect(await cachedK6Path({ HOME: "/h" })).toMatch(/^\/h\/\.cache\/plumbline\/k6\//);
  });
});
