/**
 * Loaded into the gate by `--import`: tells the soak's script how large its heap is. What is
 * resident of a process goes up and down with what the allocator gives back; the heap does not.
 */

import { isMainThread } from "node:worker_threads";
import type { HeapSize } from "./memory.ts";

/** Ours: as often as the resident memory is looked at. */
const EVERY_MS = 10_000;

if (isMainThread && process.send !== undefined) {
  setInterval(() => {
    const heap: HeapSize = { heapBytes: process.memoryUsage().heapTotal };
    process.send?.(heap);
  }, EVERY_MS).unref();
  process.channel?.unref();
}
