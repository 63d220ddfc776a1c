/** The body of a webhook: the job object with the event around it. Spec §6. */

import type { State } from "../../contract/states.ts";
import { WEBHOOK_COMPLETED_EVENT } from "../../contract/webhook-schedule.ts";
import type { Choices } from "../choices.ts";
import type { Job } from "../jobs/job.ts";
import type { JobRenderer } from "../jobs/render.ts";

export function webhookBody(
  job: Job,
  firedAtMs: number,
  renderer: JobRenderer,
  choices: Choices,
): Record<string, unknown> {
  const result = renderer.result(job);
  return {
    event: eventName(job.state, choices.webhookEvents),
    job_uuid: job.id,
    ...renderer.full(job),
    ...(result === undefined ? {} : { result }),
    fired_at: renderer.time(firedAtMs),
  };
}

/** Only the name for completion is the specification's. Spec §6. */
function eventName(state: State, names: Choices["webhookEvents"]): string {
  if (state === "completed" || names === "always-completed") return WEBHOOK_COMPLETED_EVENT;
  return names === "finished" ? "job.finished" : `job.${state}`;
}
