/** Cancel requests of jobs, for the judges of them. Spec §3.2. */

import type { CancelTrial } from "../../../../contract/judges/cancel/cancel-trial.ts";
import type { State, Variant } from "../../../../contract/states.ts";
import { STATE_SPELLINGS } from "../../../../contract/states.ts";
import { answer, at, withJson } from "../answers.ts";

export const CONTEXT = { without: "nothing tried", methodUnknown: false, methodWorks: true };
export const TIME = "2026-01-01T00:00:00.000Z";

export function job(variant: Variant, state: State, extra: object = {}): unknown {
  const status = STATE_SPELLINGS[variant][state] ?? STATE_SPELLINGS.B[state];
  return variant === "A"
    ? { job_uuid: "job_1", worker: "sleep", created_at: TIME, status, ...extra }
    : { job_id: "job_1", worker_id: "sleep", timestamps: { submitted_at: TIME }, status, ...extra };
}

export function trial(
  variant: Variant,
  states: readonly State[],
  extra: object = {},
  everyMs = 10,
): CancelTrial {
  const [before, ...after] = states;
  return {
    jobId: "job_1",
    before: withJson(200, job(variant, before ?? "queued"), at(0)),
    cancel: answer(200, { method: "DELETE", ...at(10) }),
    after: after.map((state, n) => withJson(200, job(variant, state, extra), at(20 + everyMs * n))),
  };
}

export const ENDED = "2026-01-01T00:00:08.250Z";
export const COARSE = "2026-01-01T00:00:08Z";

export function endedAt(variant: Variant, text: string | null): object {
  return variant === "A"
    ? { completed_at: text }
    : { timestamps: { submitted_at: TIME, finished_at: text } };
}

export function withFile(url: string): object {
  const file = { id: "f", name: "a.txt", content_type: "text/plain", size_bytes: 1, url };
  return { files: [file] };
}
