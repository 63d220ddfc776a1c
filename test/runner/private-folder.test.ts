/** Where the files of a run of k6 lie that nobody else may read. */

import { expect, it, onTestFinished, vi } from "vitest";
import { makePrivateFolder } from "../../runner/private-folder.ts";

it("a TMPDIR in which nothing can be made is told with what helps", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TMPDIR", "/nowhere/to/be/found");
  await expect(makePrivateFolder()).rejects.toMatchObject({
    code: "temporary-folder-unwritable",
    message:
      'cannot make a folder in "/nowhere/to/be/found" (ENOENT); set TMPDIR to a writable folder',
  });
});
