/** How much garbage the probe's process may let lie. */

import v8 from "node:v8";

/**
 * Ours: by default V8 lets the heap grow to a multiple of what lives in it before it collects; ten
 * thousand jobs in flight then take half a gigabyte, of which a hundred megabytes live. A process
 * that runs for months beside others takes this much more than it needs, and collects for it a few
 * times a minute, in pauses of some 10 ms.
 */
const GROWING_PERCENT = 20;

/** Of the whole process, from now on. */
export function keepHeapSmall(): void {
  v8.setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
