/** Expressions that several alerts share. */

import { GROUP } from "./recording.ts";
import type { Lookback } from "./time.ts";

/**
 * How many events a counter counted, as far as scrapes show, and never more. A probe that began
 * earlier than the window has not been set back in it: what lies between two values is exact. Of a
 * younger one the value itself counts, also what came before its first scrape; where the rises that
 * scrapes saw are more, some came before a restart. `increase` would estimate what lies beyond the
 * edges of its window, and make up to one and a half events of a single one in a young series.
 */
export function eventCount(selector: string, { range, seconds }: Lookback, by = GROUP): string {
  const over = (name: string) => `${name}(${selector}[${range}])`;
  const youngest = `time() - max_over_time(process_start_time_seconds[${range}]) < ${seconds}`;
  const rises = `${over("changes")} - ${over("resets")}`;
  return [
    `sum by (${by}) (`,
    `  ${over("last_over_time")} - ${over("min_over_time")}`,
    `    unless on (job, instance, location) (${youngest})`,
    `  or ${over("last_over_time")} > (${rises})`,
    `  or ${rises}`,
    ")",
  ].join("\n");
}

/** The figure and what it counts, as Prometheus puts them in: "1 job", "2 jobs". */
export function counted(one: string, many = `${one}s`): string {
  return `{{ $value }} {{ if eq $value 1.0 }}${one}{{ else }}${many}{{ end }}`;
}

/** A series of every probe. */
export const SEEN = "plumbline_build_info";

/**
 * The time by the probe's own clock, at its last scrape, with which the times that it states are
 * compared: its clock may be off, and Prometheus may have been away since. Earlier versions of the
 * probe don't state it.
 */
export const PROBE_TIME =
  `(max by (${GROUP}) (plumbline_clock_timestamp_seconds) ` +
  `or group by (${GROUP}) (${SEEN}) * time())`;

/** Runs that speak against the service; the probe's outcomes, in docs/probe.md. */
export const FAILED_RUNS =
  'plumbline_canary_runs_total{outcome=~"wrong_state|wrong_result|deadline|http_error"}';

/** Runs that speak of the service at all. */
export const TELLING_RUNS =
  'plumbline_canary_runs_total{outcome=~"success|wrong_state|wrong_result|deadline|http_error"}';

/** Runs of which no other alert says why they tell nothing of the service. */
export const UNTELLING_RUNS =
  'plumbline_canary_runs_total{outcome=~"ambiguous_submission|probe_error"}';

/** Several probes of one place and one canary are as good as the best of them. */
export const BY_CANARY = `${GROUP}, canary`;

/** Violations of promises whose ids match, each an observation that contradicts the promise. */
export function violations(matcher: string): string {
  return `plumbline_promise_violations_total{promise${matcher}}`;
}
