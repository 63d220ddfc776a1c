/** Reads the target file again on SIGHUP, and with --watch when it changes. */

import { unwatchFile, watchFile } from "node:fs";

import { messageOf } from "../contract/thrown.ts";
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
export function watchTarget(flags: Watched, context: Context, probe: Probe): () => void {
  const { environment, onHangUp } = context;
  const path = flags.target;
  // The embedded service is no daemon's: it ends with the terminal that it was started from.
  if (path === undefined) return () => {};
  const reload = () => {
    loadTargetFile(path, environment)
      .then(({ target }) => probe.reload(target))
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
