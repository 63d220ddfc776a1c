/** What an operator may set about rules and boards. */

import type { LatencyName } from "../objectives.ts";
import { LATENCY_OBJECTIVES } from "../objectives.ts";

export interface LatencyTarget {
  /** Share of events within the bound, in per cent. */
  objective: number;
  /** A bucket's upper bound, in seconds. */
  seconds: number;
}

export interface RuleOptions {
  /** Share of every window, `for` and interval that passes; 1 but in tests. */
  scale: number;
  /** The scrape job of the probes. */
  job: string;
  /** Address of Grafana, without a slash at its end. */
  grafanaUrl: string;
  /** Address of the folder of runbooks, without a slash at its end. */
  runbooksUrl: string;
  /** Canaries whose jobs are to end in time, as a regular expression. */
  timedCanaries: string;
  latency: Readonly<Record<LatencyName, LatencyTarget>>;
}

export const DEFAULT_RULE_OPTIONS: RuleOptions = {
  scale: 1,
  job: "plumbline",
  grafanaUrl: "https://grafana.example.com",
  runbooksUrl: "https://docs.example.com/plumbline/runbooks",
  // Ours: the names of the main canary in the documents; others may be slow on purpose.
  timedCanaries: "main|success",
  latency: Object.fromEntries(
    LATENCY_OBJECTIVES.map(({ name, objective, seconds }) => [name, { objective, seconds }]),
  ) as RuleOptions["latency"],
};
