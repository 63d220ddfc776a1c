/** Outcomes of canary runs as colours and words; the worse one wins where several fall together. */

import type { Color, Shown } from "./panel.ts";
import { CANARY, events } from "./selectors.ts";

/** From good to worse: what the probe could not tell, then what the service did wrong. */
const OUTCOMES = [
  ["success", "success", "green"],
  ["probe_error", "the probe could not tell", "gray"],
  ["ambiguous_submission", "answer to the submission lost", "gray"],
  ["rate_limited", "refused: 429", "blue"],
  ["auth", "refused: key", "blue"],
  ["credits", "refused: credits", "blue"],
  ["wrong_result", "wrong result", "orange"],
  ["http_error", "HTTP error", "red"],
  ["wrong_state", "wrong end", "red"],
  ["deadline", "no end by its deadline", "red"],
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

/** The same colours for graphs whose lines are called by the outcome. */
export const OUTCOME_COLORS: Readonly<Record<string, Color>> = Object.fromEntries(
  OUTCOMES.map(([outcome, , color]) => [outcome, color]),
);
