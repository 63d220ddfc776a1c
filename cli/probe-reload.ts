/** Reads the target file again on SIGHUP, and with --watch when it changes. */

import { unwatchFile, watchFile } from "node:fs";

import type { Probe } from "../probe/probe.ts";
import type { Context } from "./context.ts";
import { loadTargetFile } from "./target-file.ts";

/** Ours: polled, as events of mounted configuration maps and editors' renames get lost. */
const WATCH_MS = 1_000;

interface Watched {
  target?: string;
  watch: boolean;
}

/** Gives back what ends the watch. Without a target file there is nothing to read again. */
export function watchTarget(flags: Watched, { environment }: Context, probe: Probe): () => void {
  const path = flags.target;
  const ignore = () => {};
  if (path === undefined) {
    // The default of an unheard SIGHUP is to end the process.
    process.on("SIGHUP", ignore);
    return () => process.off("SIGHUP", ignore);
  }
  const reload = () => {
    loadTargetFile(path, environment)
      .then(({ target }) => probe.reload(target))
      .catch((error: unknown) => {
        probe.reloadFailed(error instanceof Error ? error.message : String(error));
      });
  };
  process.on("SIGHUP", reload);
  if (flags.watch) watchFile(path, { interval: WATCH_MS }, reload);
  return () => {
    process.off("SIGHUP", reload);
    unwatchFile(path, reload);
  };
}
