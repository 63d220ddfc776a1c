/** The release archive counts by its checksum alone. */

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { downloadK6 } from "../../runner/download-k6.ts";
import { serve } from "../http/serve.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function archiveBytes(): Promise<Buffer> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, "k6-v2.2.0-linux-amd64"));
  await writeFile(path.join(folder, "k6-v2.2.0-linux-amd64", "k6"), "binary");
  const args = ["-czf", "a.tgz", "k6-v2.2.0-linux-amd64"];
  await captureOutput("tar", args, { cwd: folder, env: process.env, timeLimitMs: 10_000 });
  return await readFile(path.join(folder, "a.tgz"));
}

async function release(bytes: Buffer): Promise<string> {
  return await serve((request, response) => {
    const found = request.url === "/v2.2.0/k6-v2.2.0-linux-amd64.tar.gz";
    response.writeHead(found ? 200 : 404).end(found ? bytes : "");
  });
}

describe("downloadK6", () => {
  it("unpacks the binary of an archive with the pinned checksum", async () => {
    const bytes = await archiveBytes();
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const target = path.join(await temporaryFolder(), "cache", "k6");
    const archive = { platform: "linux-amd64", extension: "tar.gz", sha256 } as const;
    await downloadK6(target, archive, await release(bytes));
    expect(await readFile(target, "utf8")).toBe("binary");
  });

  it("refuses any other archive", async () => {
    const target = path.join(await temporaryFolder(), "k6");
    const sha256 = "0".repeat(64);
    const archive = { platform: "linux-amd64", extension: "tar.gz", sha256 } as const;
    await expect(downloadK6(target, archive, await release(await archiveBytes()))).rejects.toThrow(
      `expected ${sha256}`,
    );
    await expect(readFile(target)).rejects.toThrow("ENOENT");
  });

  it("says what was fetched where there is none", async () => {
    const archive = { platform: "linux-riscv", extension: "tar.gz", sha256: "0" } as const;
    await expect(downloadK6("k6", archive, await release(Buffer.of()))).rejects.toThrow(
      /could not fetch .*linux-riscv\.tar\.gz: the answer was 404/,
    );
  });
});
