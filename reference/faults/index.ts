/** All faults of the embedded service, by the group of the promise that they break. */

import type { Fault } from "./fault.ts";

export const FAULTS: readonly Fault[] = [];
