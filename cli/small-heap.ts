/** How much garbage a process that runs for hours or months may let lie. */

import { PerformanceObserver } from "node:perf_hooks";
import v8 from "node:v8";

/**
 * Ours: by default V8 lets the heap grow to a multiple of what lives in it before it collects. A
 * probe with ten thousand jobs in flight then takes half a gigabyte, of which a hundred megabytes
 * live. With this it collects a few times a minute, in pauses of some 10 ms.
 */
const GROWING_PERCENT = 40;
/**
 * Ours: both halves of the young generation, several times what lives of a second's answers. Left
 * to itself it takes 134 MB as soon as anything is busy, and never gives them back while it is.
 */
const YOUNG_BYTES = 32 * 1024 * 1024;

/** Of the whole process, its threads included, from now on. */
export function keepHeapSmall(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  // Its bound can't be set any more, but whether it grows: it must again, where it has shrunk.
  new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find((each) => each.space_name === "new_space");
    // It may have shrunk to any size: twice that has to be within the bound. Two collections that
    // come before one is told of may pass it.
    const factor = 2 * (young?.space_size ?? 0) <= YOUNG_BYTES ? 2 : 1;
    v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  }).observe({ entryTypes: ["gc"] });
}
