/** Labels of histograms in their present form, and in that of the release before. */

import type { State } from "../../contract/states.ts";
import type { Source } from "../../contract/timeline/transitions.ts";

type Labels = Readonly<Record<string, string>>;

interface Step {
  worker: string;
  from: State;
  to: State;
}

/** Of `plumbline_job_transition_seconds`; null: it is not of that step. */
export function stayLabels(isLegacy: boolean, step: Step, source: Source): Labels | null {
  const { worker, from, to } = step;
  if (isLegacy) return { worker, from, to, source };
  // It was the caller who ended that stay, and not the service.
  return to === "cancelled" ? null : { worker, from };
}

/** Of `plumbline_http_request_duration_seconds`. */
export function durationLabels(
  isLegacy: boolean,
  request: { method: string; route: string; status: string },
): Labels {
  const { method, route } = request;
  return isLegacy ? request : { method, route };
}
