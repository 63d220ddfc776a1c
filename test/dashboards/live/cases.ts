/** Every fault of the live test, each in a world of its own. */

import type { FaultCase } from "./fault-case.ts";
import { SERVICE_CASES } from "./service-cases.ts";

export const CASES: readonly FaultCase[] = [...SERVICE_CASES];
