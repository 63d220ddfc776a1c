/**
 * Loaded into a process of the suite by `--import`: tells its parent, over the channel of a fork,
 * what cannot be seen from outside. What is resident of a process goes up and down with what the
 * allocator gives back; the heap does not.
 */

import { isMainThread } from "node:worker_threads";
import type { OwnFigures } from "./growth.ts";

/** Ours: as often as what is seen from outside is looked at. */
const EVERY_MS = 10_000;

if (isMainThread && process.send !== undefined) {
  setInterval(() => {
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const own: OwnFigures = { heapBytes: process.memoryUsage().heapTotal, timers };
    process.send?.(own);
  }, EVERY_MS).unref();
  process.channel?.unref();
}
