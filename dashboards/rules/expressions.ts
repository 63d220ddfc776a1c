/** Expressions that several alerts share. */

import { GROUP } from "./recording.ts";

/**
 * How often a counter rose, in whole numbers. `increase` estimates what lies beyond the edges of
 * its window, and makes up to one and a half events of a single one in a young series.
 */
export function rises(selector: string, window: string, by = GROUP): string {
  return `sum by (${by}) (changes(${selector}[${window}]) - resets(${selector}[${window}]))`;
}

/** Runs that speak against the service; the probe's outcomes, in docs/probe.md. */
export const FAILED_RUNS =
  'plumbline_canary_runs_total{outcome=~"wrong_state|wrong_result|deadline|http_error"}';

/** Runs that speak of the service at all. */
export const TELLING_RUNS =
  'plumbline_canary_runs_total{outcome=~"success|wrong_state|wrong_result|deadline|http_error"}';

/** Several probes of one place and one canary are as good as the best of them. */
export const BY_CANARY = `${GROUP}, canary`;

/** Violations of promises whose ids match, each an observation that contradicts the promise. */
export function violations(matcher: string): string {
  return `plumbline_promise_violations_total{promise${matcher}}`;
}
