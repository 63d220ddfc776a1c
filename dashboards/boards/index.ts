/** The boards, in the order in which they are listed. */

import type { RuleOptions } from "../rules/options.ts";
import { API } from "./api.ts";
import { JOBS } from "./jobs.ts";
import { LOAD } from "./load.ts";
import { overviewBoard } from "./overview.ts";
import type { Board } from "./panel.ts";
import { PROBE_BOARD } from "./probe.ts";
import { webhooksBoard } from "./webhooks.ts";

export function boardsOf({ latency, severities }: RuleOptions): readonly Board[] {
  const webhooks = webhooksBoard(latency["webhook-delay"].seconds);
  return [overviewBoard(severities), JOBS, webhooks, API, PROBE_BOARD, LOAD];
}
