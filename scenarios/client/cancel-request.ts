/** The request that cancels a job: the one configured, or found by trying. Spec §4.6: not shown. */

import { routePath } from "../../contract/requests/routes.ts";
import type { CancelMethod, RunPlan } from "../../contract/run/run-plan.ts";
import type { Call } from "./send.ts";

export interface CancelRequest {
  method: CancelMethod;
  /** null sends none. */
  body: string | null;
}

/** Ours: the usual ways of REST interfaces, the most usual first. */
const METHODS: readonly CancelMethod[] = ["DELETE", "POST", "PATCH", "PUT"];
const BODIES: readonly (string | null)[] = [
  null,
  '{"status":"cancelled"}',
  '{"action":"cancel"}',
  '{"status":"CANCELED"}',
];

/** Requests to try in order; the one of the plan, or all usual ones where it says `auto`. */
export function cancelCandidates({ cancel }: RunPlan): readonly CancelRequest[] {
  if (cancel === null) return [];
  if (cancel.method !== "auto") {
    const body = cancel.body === null ? null : JSON.stringify(cancel.body);
    return [{ method: cancel.method, body }];
  }
  const all = METHODS.flatMap((method) => BODIES.map((body) => ({ method, body })));
  return all.filter(({ method, body }) => method !== "DELETE" || body === null);
}

export function cancelCall(request: CancelRequest, jobId: string, key: string | null): Call {
  return { method: request.method, route: "job", parameter: jobId, key, body: request.body };
}

/** The request as a note tells it. */
export function describeCancel({ method, body }: CancelRequest): string {
  return `${method} ${routePath("job", "id")}${body === null ? "" : ` with ${body}`}`;
}
