/** What an operator may set about rules and boards. */

import type { LatencyName } from "../objectives.ts";
import { LATENCY_OBJECTIVES } from "../objectives.ts";
import type { Severity } from "./rule.ts";

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
  /** Address of the probe's status page, likewise; LOCATION in it is the probe's own. */
  statusUrl: string;
  /** How the two severities are called where alerts are routed. */
  severities: Readonly<Record<"page" | "ticket", string>>;
  /** Alerts whose severity is not the one that they have here, by name. */
  severityOf: Readonly<Record<string, Severity>>;
  /** Labels that every alert gets, such as a team's. */
  alertLabels: Readonly<Record<string, string>>;
  /** Canaries whose jobs are to end in time, as a regular expression. */
  timedCanaries: string;
  latency: Readonly<Record<LatencyName, LatencyTarget>>;
}

export const DEFAULT_RULE_OPTIONS: RuleOptions = {
  scale: 1,
  job: "plumbline",
  // Where the compose file and the probe listen unless told otherwise: each link works somewhere.
  grafanaUrl: "http://127.0.0.1:3000",
  runbooksUrl: "http://127.0.0.1:9464/runbooks",
  statusUrl: "http://127.0.0.1:9464",
  severities: { page: "page", ticket: "ticket" },
  severityOf: {},
  alertLabels: {},
  // Ours: the names of the main canary in the documents; others may be slow on purpose.
  timedCanaries: "main|success",
  latency: Object.fromEntries(
    LATENCY_OBJECTIVES.map(({ name, objective, seconds }) => [name, { objective, seconds }]),
  ) as RuleOptions["latency"],
};
