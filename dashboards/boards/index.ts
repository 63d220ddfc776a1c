/** The boards, in the order in which they are listed. */

import { API } from "./api.ts";
import { JOBS } from "./jobs.ts";
import { LOAD } from "./load.ts";
import { OVERVIEW } from "./overview.ts";
import type { Board } from "./panel.ts";
import { PROBE_BOARD } from "./probe.ts";
import { WEBHOOKS } from "./webhooks.ts";

export const BOARDS: readonly Board[] = [OVERVIEW, JOBS, WEBHOOKS, API, PROBE_BOARD, LOAD];
