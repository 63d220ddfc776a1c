/** Requests to each endpoint that asks for a key, with which nothing is run or changed. Spec §4. */

import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import type { Context } from "./context.ts";
import { madeUpJobId, madeUpWorkerId } from "./inputs/made-up.ts";
import type { Call } from "./send.ts";

export type NamedCall = Call & { what: string };

/**
 * Every endpoint of §4 but the worker list; writes name identifiers that nobody was issued, or the
 * worker that a run publishes anyway: before others a service may look at the identifier.
 */
export function endpointCalls(context: Context, jobId: string | null): readonly NamedCall[] {
  const { plan } = context;
  const workerId = plan.workers.success?.id ?? Object.values(plan.workers)[0]?.id;
  const noWorker = madeUpWorkerId(context.random, workerId);
  const noJob = madeUpJobId(context.random, jobId);
  const call = (
    method: string,
    route: RouteName,
    parameter?: string,
    body?: string,
  ): NamedCall => ({
    what: `${method} ${ROUTES[route]}`,
    method,
    route,
    key: null,
    ...(parameter === undefined ? {} : { parameter }),
    ...(body === undefined ? {} : { body }),
  });
  const calls = [
    call("GET", "me"),
    call("GET", "credits"),
    call("GET", "deployments"),
    call("GET", "jobs"),
    call("GET", "worker", workerId ?? noWorker),
    call("GET", "job", jobId ?? noJob),
    call("POST", "submit", noWorker, "{}"),
    call("POST", "publish", plan.publish?.worker ?? noWorker, "{}"),
  ];
  const cancel = plan.cancel;
  if (cancel === null) return calls;
  if (cancel.method === "auto") return [...calls, call("DELETE", "job", noJob)];
  const body = cancel.body === null ? undefined : JSON.stringify(cancel.body);
  return [...calls, call(cancel.method, "job", noJob, body)];
}

export async function askAll(
  context: Context,
  calls: readonly NamedCall[],
): Promise<readonly StatusCase[]> {
  return Promise.all(
    calls.map(async (call) => ({ what: call.what, ...(await context.askAgain(call)) })),
  );
}

/** Not Found, Method Not Allowed and Not Implemented: no such endpoint. RFC 9110 §15.5, §15.6. */
const NO_SUCH_REQUEST = [404, 405, 501];

/** Which request cancels is a guess where nobody said so, and may be none of the service's. */
export function isUnknownRequest({ plan }: Context, { attempts }: StatusCase): boolean {
  const last = attempts.at(-1);
  const isGuess = plan.cancel?.method === "auto" && last?.method === "DELETE";
  return isGuess && NO_SUCH_REQUEST.includes(last.status);
}
