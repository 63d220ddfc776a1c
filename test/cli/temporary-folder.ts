/** A folder of a test's own. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder extends AsyncDisposable {
  path: string;
  /** Writes a file, executable where its mode says so, and returns its path. */
  write(name: string, text: string, mode?: number): Promise<string>;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-cli-"));
  return {
    path,
    write: async (name, text, mode = 0o644) => {
      await writeFile(join(path, name), text, { mode });
      return join(path, name);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
