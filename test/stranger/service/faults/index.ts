/** All faults of the stranger's by name. */

import { DESK_FAULTS } from "./at-the-desk.ts";
import { GATEWAY_FAULTS } from "./at-the-gateway.ts";
import type { StrangerFault } from "./fault.ts";
import { JOB_FAULTS } from "./of-jobs.ts";
import { WEBHOOK_FAULTS } from "./of-webhooks.ts";

const ALL = { ...GATEWAY_FAULTS, ...DESK_FAULTS, ...JOB_FAULTS, ...WEBHOOK_FAULTS };

export type FaultName = keyof typeof ALL;

export const STRANGER_FAULTS: Readonly<Record<FaultName, StrangerFault>> = ALL;
