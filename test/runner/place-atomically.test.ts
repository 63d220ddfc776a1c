/** Several processes that make the same part of the cache. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeAtomically } from "../../runner/k6-cache.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("placeAtomically", () => {
  it("keeps one whole folder of three that are made at once, and nothing beside it", async () => {
    const parent = await temporaryFolder();
    const target = path.join(parent, "schemas");
    const making = ["one", "two", "three"].map((maker) =>
      placeAtomically(target, async (temporaryPath) => {
        await mkdir(temporaryPath);
        await writeFile(path.join(temporaryPath, "maker"), maker);
      }),
    );
    await Promise.all(making);
    expect(["one", "two", "three"]).toContain(await readFile(path.join(target, "maker"), "utf8"));
    expect(await readdir(parent)).toEqual(["schemas"]);
  });

  it("passes on what else the move fails by, and leaves nothing", async () => {
    const parent = await temporaryFolder();
    const target = path.join(parent, "schemas");
    const unmade = placeAtomically(target, () => Promise.resolve());
    await expect(unmade).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readdir(parent)).toEqual([]);
  });
});
