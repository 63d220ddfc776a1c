/**
 * Loaded into a process of the suite by `--import`: tells its parent, over the channel of a fork,
 * what cannot be seen from outside. What is resident of a process, and the size of its heap, follow
 * what the collector finds convenient; what is reachable after a full collection does not.
 */

import { isMainThread } from "node:worker_threads";
import { exposedCollector } from "./collector.ts";
import type { OwnFigures } from "./growth.ts";

/** A full collection stops the process for some tens of milliseconds: seldom. */
const EVERY_MS = 60_000;

if (isMainThread && process.send !== undefined) {
  const collect = exposedCollector();
  setInterval(() => {
    collect();
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const own: OwnFigures = { heapBytes: process.memoryUsage().heapUsed, timers };
    process.send?.(own);
  }, EVERY_MS).unref();
  process.channel?.unref();
}
