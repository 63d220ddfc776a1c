/**
 * A folder that lives as long as one test. Not for concurrent ones: the runner takes the end of the
 * test that began last for the end of each.
 */

import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
