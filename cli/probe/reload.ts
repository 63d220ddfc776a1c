/** Reads the target file again on SIGHUP, and with --watch when it changes. */

import { unwatchFile, watchFile } from "node:fs";
import { stat } from "node:fs/promises";

import type { Target } from "../../contract/target.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import type { Probe } from "../../probe/probe.ts";
import type { Environment } from "../../runner/executables.ts";
import type { Context } from "../context.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";

/** Ours: polled, as events of mounted configuration maps and editors' renames get lost. */
const WATCH_MS = 1_000;

interface Watched {
  target?: string;
  watch: boolean;
}

/**
 * A file that was mounted by itself stays the old one when another is renamed into its place: it
 * has no name any more. Throws then, as it does for a file with problems.
 */
async function readCurrent(path: string, environment: Environment): Promise<Target> {
  const { target } = await loadTargetFile(path, environment);
  const { nlink } = await stat(path);
  if (nlink > 0) return target;
  throw new Error(
    `"${path}" was replaced where it is mounted from, and the mount still shows the old file; ` +
      "expected a restart, a folder that is mounted, or a file that is written in place",
  );
}

/** Gives back what ends the watch. Without a target file there is nothing to read again. */
export function watchTarget(flags: Watched, context: Context, probe: Probe): () => void {
  const { environment, onHangUp } = context;
  const path = flags.target;
  // The embedded service is no daemon's: it ends with the terminal that it was started from.
  if (path === undefined) return () => {};
  const reload = () => {
    readCurrent(path, environment)
      .then((target) => probe.reload(target))
      .catch((error: unknown) => {
        probe.reloadFailed(messageOf(error));
      });
  };
  const endHangUp = onHangUp(reload);
  if (flags.watch) watchFile(path, { interval: WATCH_MS }, reload);
  return () => {
    endHangUp();
    unwatchFile(path, reload);
  };
}
