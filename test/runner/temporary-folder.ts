/** A folder that lives as long as one test. */

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
