/** Every fault of the live test, each in a world of its own. */

import type { FaultCase } from "./fault-case.ts";
import { PROBE_CASES } from "./probe-cases.ts";
import { SERVICE_CASES } from "./service-cases.ts";

export const CASES: readonly FaultCase[] = [...PROBE_CASES, ...SERVICE_CASES];
