/** Outcomes of canary runs as colours and words; the worse one wins where several fall together. */

import type { Shown } from "./panel.ts";
import { CANARY, events } from "./selectors.ts";

/** From good to worse: the probe's failures, client errors, then errors of the service. */
const OUTCOMES = [
  ["success", "success", "green"],
  ["probe_error", "probe error", "gray"],
  ["ambiguous_submission", "no response to the submission", "gray"],
  ["rate_limited", "429: rate limited", "orange"],
  ["auth", "401 or 403: key rejected", "orange"],
  ["credits", "402: out of credits", "orange"],
  ["wrong_result", "wrong result", "red"],
  ["http_error", "HTTP error", "red"],
  ["wrong_state", "wrong state", "red"],
  ["deadline", "deadline missed", "red"],
] as const;

/** A number for the worst outcome of each canary in each interval; 0 without any run. */
export const OUTCOME_TIMELINE = `max by (location, canary) (${OUTCOMES.map(([outcome], at) => {
  const runs = `plumbline_canary_runs_total{${CANARY},outcome="${outcome}"}`;
  return `(${at + 1} * (${events(runs, "location, canary, outcome")} > bool 0))`;
}).join("\nor ")})`;

export const OUTCOME_SHOWN: Readonly<Record<string, Shown>> = {
  "0": { text: "no run ended", color: "transparent" },
  ...Object.fromEntries(OUTCOMES.map(([, text, color], at) => [String(at + 1), { text, color }])),
};
