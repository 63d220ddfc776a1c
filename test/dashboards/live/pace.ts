/** How much faster than in life time passes in the live test. */

import type { RuleOptions } from "../../../dashboards/rules/options.ts";
import { DEFAULT_RULE_OPTIONS } from "../../../dashboards/rules/options.ts";

/** Ours: an hour's window passes in three minutes, and a scrape still fits its interval. */
export const SPEED = 20;

/** Canaries of the main path are a minute apart, as the probe's defaults are. */
export const CANARY_MS = 60_000 / SPEED;
/** Scrapes are 20 s apart: a probe takes as long to answer one as it does in life. */
export const SCRAPE_MS = 20_000 / SPEED;
/** Ours: what a machine that does other things may add to each time, as it really passes. */
export const SLACK_MS = 5_000;

/** Seconds at life's pace of milliseconds that passed, and the other way. */
export const lived = (ms: number) => Math.round((ms / 1_000) * SPEED);
export const passing = (seconds: number) => (seconds * 1_000) / SPEED;

/** Rules of the same making, with windows that fit the pace. The job is that of all worlds. */
export const LIVE_RULES: RuleOptions = {
  ...DEFAULT_RULE_OPTIONS,
  scale: 1 / SPEED,
  // Bounds are buckets' edges; the reference service is as fast here as its time scale says.
  latency: {
    "queue-wait": { objective: 99, seconds: 0.5 },
    "job-duration": { objective: 99, seconds: 2.5 },
    "webhook-delay": { objective: 99, seconds: 1 },
  },
};
