/** From a request to its answer: key, rate limit, route, body, in this order. */

import type { Access } from "./access.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import { wholeMs } from "./clock.ts";
import type { AnswerContext, Outcome, Reply, RequestFacts } from "./http.ts";
import { hasJobIdForm } from "./jobs/job-ids.ts";
import { type Api, type Call, type Endpoint, refuse } from "./routes/api.ts";
import { afterRefusal } from "./routes/submit.ts";
import { workerList } from "./routes/workers.ts";

export function respond(
  api: Api,
  access: Access,
  request: RequestFacts,
  endpoint: Endpoint | null,
): Outcome {
  const hooks = api.hooks();
  if (api.options.choices.illFormedIds === "no-route" && hasNoRoute(api, request)) {
    return { answer: noRoute(api)[0], delayMs: 0 };
  }
  const { key, refusal } = access.authenticate(request);
  const [[answer, rest], heldBackMs] = decide();
  const context: AnswerContext = { ...rest, request, key };
  return { answer: hooks.answer(answer, context), delayMs: hooks.delayMs(heldBackMs, context) };

  function decide(): Served {
    if (key !== null) return serveKey(api, access, request, key, endpoint);
    const publicList = api.options.choices.workersPublic === "yes" && request.route === "workers";
    if (publicList && refusal === "missing-key") return [workerList(api, request), 0];
    return [refuse(api, refusal, "a valid API key is needed in the x-api-key header"), 0];
  }
}

/** What is answered, and for how long that is held back. */
type Served = [Reply, delayMs: number];
/** Ours: slugs of words, no longer than catalogues have. */
const WORKER_ID_FORM = /^[a-z][a-z-]{1,31}$/;

function noRoute(api: Api): Reply {
  return refuse(api, "unknown-route", "there is nothing at this path");
}

/** A router may know the form of identifiers, and look at no limit without it, nor at the key. */
function hasNoRoute({ options: { choices } }: Api, { route, parameter }: RequestFacts): boolean {
  if (choices.illFormedIds === "looked-up") return false;
  if (route === "job") return !hasJobIdForm(choices.jobIds, parameter);
  return ["worker", "submit", "publish"].includes(route ?? "") && !WORKER_ID_FORM.test(parameter);
}

function serveKey(
  api: Api,
  access: Access,
  request: RequestFacts,
  key: ReferenceKey,
  endpoint: Endpoint | null,
): Served {
  const account = api.accounts.get(key.account);
  if (account === undefined) throw new Error(`key "${key.name}" has no account "${key.account}"`);
  const call: Call = { request, key, account };
  if (hasNoRoute(api, request)) return [noRoute(api), 0];
  const decision = access.admit(key, request);
  const reply = decision.admitted
    ? (endpoint ?? unknownRoute)(api, call)
    : tooMany(api, key, decision.waitMs);
  const { status } = reply[0];
  if (request.route === "submit" && status >= 400) afterRefusal(api, call, reply[1].reason);
  return [reply, decision.delayMs ?? 0];
}

const unknownRoute: Endpoint = (api, { request }) =>
  refuse(api, "unknown-route", `there is no ${request.method} endpoint at this path`);

/** The wait is rounded up, so that whoever keeps to it is admitted. RFC 9110 §10.2.3. */
function tooMany(api: Api, key: ReferenceKey, waitMs: number): Reply {
  const seconds = api.hooks().retryAfterSeconds(Math.ceil(waitMs / 1000), key);
  const [answer, context] = refuse(api, "rate-limited", "too many requests with this key");
  return [{ ...answer, headers: { ...answer.headers, ...retryAfter(api, seconds) } }, context];
}

function retryAfter(api: Api, seconds: number): Record<string, string> {
  if (api.options.choices.retryAfter === "seconds") return { "retry-after": String(seconds) };
  const nowMs = wholeMs(api.clock);
  const until = new Date(Math.ceil(nowMs / 1000 + seconds) * 1000);
  return { "retry-after": until.toUTCString(), date: new Date(nowMs).toUTCString() };
}
