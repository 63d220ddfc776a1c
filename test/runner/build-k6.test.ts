/** Which Go may build k6, told apart by what it says of itself. */

import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { buildK6, inspectGo } from "../../runner/build-k6.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function withGo(script: string | null): Promise<Record<string, string>> {
  const bin = path.join(await temporaryFolder(), "bin");
  await mkdir(bin);
  if (script !== null) {
    await writeFile(path.join(bin, "go"), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, "go"), 0o755);
  }
  return { PATH: bin };
}

describe("inspectGo", () => {
  it.each([
    ["go1.25.0", { usable: true, version: "1.25.0" }],
    ["go1.26.8", { usable: true, version: "1.26.8" }],
    ["go1.24.9", { usable: false, reason: "Go 1.24.9 is too old; expected Go 1.25 or newer" }],
    ["", { usable: false, reason: "`go env GOVERSION` failed" }],
  ])("judges a Go that calls itself %j", async (version, expected) => {
    expect(await inspectGo(await withGo(`echo "${version}"`))).toMatchObject(expected);
  });

  it("says that Go is not installed", async () => {
    expect(await inspectGo(await withGo(null))).toMatchObject({ reason: "Go is not installed" });
  });
});

describe("buildK6", () => {
  it("quotes Go where the build fails, and leaves no file", async () => {
    const env = await withGo('echo "go: downloading a v1" >&2; echo "no such module" >&2; exit 1');
    const target = path.join(await temporaryFolder(), "k6");
    await expect(buildK6(env, target)).rejects.toMatchObject({
      code: "k6-build-failed",
      message: expect.stringContaining("Go said: no such module") as string,
    });
  });

  it("stops Go when it is called off", async () => {
    const env = { PATH: `${(await withGo("exec sleep 60")).PATH}:${process.env.PATH}` };
    const target = path.join(await temporaryFolder(), "k6");
    const controller = new AbortController();
    const build = buildK6(env, target, controller.signal);
    setTimeout(() => controller.abort(), 100);
    await expect(build).rejects.toMatchObject({ code: "k6-build-failed" });
  });
});
