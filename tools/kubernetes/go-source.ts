/** Files of a published Go module, by its pinned checksum: what its authors say of a format. */

import os from "node:os";
import { captureOutput } from "../../runner/capture-output.ts";
import type { Environment } from "../../runner/executables.ts";

export interface GoSource {
  /** As `go mod download` takes it. */
  module: string;
  version: string;
  /** Of the module's files, as go.sum has it. */
  sum: string;
}

/** Ours: some megabytes, on a slow line. */
const DOWNLOAD_TIME_LIMIT_MS = 5 * 60_000;

/** The folder with the module's files. Throws where it can't be had, or is another one. */
export async function sourceFolder(source: GoSource, env: Environment): Promise<string> {
  const name = `${source.module}@${source.version}`;
  const { exitCode, stdout, stderr } = await captureOutput(
    "go",
    ["mod", "download", "-json", name],
    {
      // Outside of any module, whose requirements would be read first.
      cwd: os.tmpdir(),
      env: { ...env, GOFLAGS: "", GOTOOLCHAIN: "local", GOWORK: "off" },
      timeLimitMs: DOWNLOAD_TIME_LIMIT_MS,
    },
  );
  if (exitCode !== 0) throw new Error(`go mod download ${name} failed: ${stderr}${stdout}`);
  const { Dir, Sum } = JSON.parse(stdout) as { Dir: string; Sum: string };
  if (Sum !== source.sum) throw new Error(`${name} is ${Sum}; expected ${source.sum}`);
  return Dir;
}
