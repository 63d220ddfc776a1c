/**
 * Faults of the auth promises. Whoever serves strangers at one endpoint breaks the promise of that
 * endpoint, and that of all endpoints with it: hence the companions.
 */

import { isObject } from "../../contract/decode/decoded.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { AuthOutcome, Hooks } from "../hooks.ts";
import type { Answer, Reason, RequestFacts } from "../http.ts";
import {
  all,
  answering,
  at,
  because,
  type Fields,
  onAnswer,
  onBody,
  type Which,
  without,
} from "./answers.ts";
import { type Fault, type FaultScene, faults, faultsOf, sometimes, UNDER_LOAD } from "./fault.ts";

const REFUSED: readonly Reason[] = ["missing-key", "invalid-key", "revoked-key"];
const unauthorized = because(...REFUSED);

/** Whoever is refused for that reason, where `which` says so, is served as that key. */
export const serving =
  (
    refusal: AuthOutcome["refusal"],
    which: (request: RequestFacts) => boolean = () => true,
    as: (keys: readonly ReferenceKey[], given: string) => ReferenceKey | undefined = ([key]) => key,
  ) =>
  ({ keys }: Pick<FaultScene, "keys">): Pick<Hooks, "authenticate"> => ({
    authenticate(outcome, request) {
      if (outcome.refusal !== refusal || !which(request)) return outcome;
      const key = as(keys, request.apiKey ?? "");
      return key === undefined ? outcome : { key, refusal: null };
    },
  });

const servingRevoked = (when?: (request: RequestFacts) => boolean) =>
  serving("revoked-key", when, (keys, given) => keys.find(({ value }) => value === given));

const isCancel = ({ route, method }: RequestFacts) => route === "job" && method !== "GET";

const isWrite: Which = ({ request }) => request.method !== "GET";

/** Refusals of requests to cancel. */
function ofCancel(refusal: "invalid-key" | "revoked-key"): Which {
  return all(at("job", refusal), isWrite);
}

/** Finds the key header in these spellings only, as whoever compares names letter by letter. */
function knowing(...spellings: string[]): Pick<Hooks, "authenticate"> {
  return {
    authenticate(outcome, { rawHeaders }) {
      const isFound = rawHeaders.some((name, at) => at % 2 === 0 && spellings.includes(name));
      return isFound ? outcome : { key: null, refusal: "missing-key" };
    },
  };
}

/** Rewrites the bodies of 401s. */
const onRefusal = (bend: (body: Fields) => Fields) => () => onBody(unauthorized, bend);

/** Real milliseconds for which a cache in front keeps an answer. */
const CACHED_MS = 1_000;

/** A job that was read goes to whoever asks for it next, as of a cache that looks at no key. */
function cachedForAnybody({ clock }: FaultScene): Partial<Hooks> {
  const kept = new Map<string, { answer: Answer; untilMs: number }>();
  return {
    answer(answer, { request: { method, route, parameter }, reason }) {
      if (method !== "GET" || route !== "job") return answer;
      const nowMs = clock.nowMs();
      if (reason === "served") kept.set(parameter, { answer, untilMs: nowMs + CACHED_MS });
      if (!REFUSED.includes(reason)) return answer;
      const found = kept.get(parameter);
      return found !== undefined && nowMs < found.untilMs ? found.answer : answer;
    },
  };
}

const open = (route: RouteName) => serving("missing-key", (asked) => asked.route === route);

export const AUTH_FAULTS: readonly Fault[] = [
  ...faultsOf("auth.missing-key", {
    "answers-403": ["A request without a key gets 403, not 401", answering("missing-key", 403)],
    "answers-400": ["A request without a key gets 400, not 401", answering("missing-key", 400)],
    served: [
      "A request without a key gets the account",
      open("me"),
      { companions: ["auth.every-endpoint"] },
    ],
  }),
  ...faultsOf("auth.invalid-key", {
    "answers-403": [
      "A request with an unknown key gets 403, not 401",
      answering("invalid-key", 403),
    ],
    served: ["An unknown key is served", serving("invalid-key"), { companions: ["rate.per-key"] }],
  }),
  ...faults(UNDER_LOAD, {
    "auth.invalid-key/cancels": [
      "An unknown key may cancel, and nothing else",
      serving("invalid-key", isCancel),
    ],
    "auth.invalid-key/cancels-403": [
      "A cancel with an unknown key gets 403, not 401",
      answering(ofCancel("invalid-key"), 403),
    ],
    "auth.revoked-key/cancels": [
      "A revoked key may cancel, and nothing else",
      servingRevoked(isCancel),
    ],
    "auth.revoked-key/cancels-403": [
      "A cancel with a revoked key gets 403, not 401",
      answering(ofCancel("revoked-key"), 403),
    ],
  }),
  ...faultsOf("auth.revoked-key", {
    served: ["A revoked key still works", servingRevoked()],
    "served-once-in-a-while": [
      "A revoked key works 1 time in 2",
      sometimes(2, (isTime, scene) => servingRevoked(isTime)(scene)),
    ],
    submits: [
      "A revoked key may submit, and nothing else",
      servingRevoked(({ route }) => route === "submit"),
    ],
    "answers-403": [
      "A request with a revoked key gets 403, not 401",
      answering("revoked-key", 403),
    ],
  }),
  ...faultsOf("auth.error-body", {
    "status-as-text": [
      'The 401\'s body has status "401"',
      onRefusal((body) => ({ ...body, status: "401" })),
    ],
    "wrong-status": [
      "The 401's body has status 403",
      onRefusal((body) => ({ ...body, status: 403 })),
    ],
    "no-message": ["The 401's body has no message", onRefusal((body) => without(body, "message"))],
    "error-as-object": [
      "The 401's error is an object",
      onRefusal((body) => ({ ...body, error: { code: body.error } })),
    ],
    "plain-text": [
      "The 401's body is plain text",
      () =>
        onAnswer(unauthorized, ({ status, headers }) => ({
          status,
          headers: { ...headers, "content-type": "text/plain" },
          body: undefined,
          text: "unauthorized\n",
        })),
    ],
    "for-unknown-keys-only": [
      "Only an unknown key's 401 is empty",
      () => onAnswer(because("invalid-key"), (answer) => ({ ...answer, body: undefined })),
    ],
    "near-more-fields": [
      "The 401's body has further fields",
      onRefusal((body) => ({ ...body, request_id: "req_1", details: null })),
    ],
  }),
  ...faultsOf("auth.header-case", {
    "upper-case-refused": ["X-API-KEY is not understood", () => knowing("x-api-key", "X-Api-Key")],
    "upper-case-refused-at-jobs": [
      "The job list does not understand X-API-KEY",
      () => {
        const { authenticate } = knowing("x-api-key", "X-Api-Key");
        return {
          authenticate: (outcome, request) =>
            request.route === "jobs" ? authenticate(outcome, request) : outcome,
        };
      },
    ],
  }),
  ...faultsOf("auth.every-endpoint", {
    "job-list-open": ["The job list needs no key", open("jobs")],
    "credits-open": ["The credits need no key", open("credits")],
    "deployments-open": ["Deployments need no key", open("deployments")],
    "worker-open": ["A worker's detail needs no key", open("worker")],
    "submit-open": [
      "A submission without a key is answered 202",
      () =>
        onAnswer(at("submit", "missing-key"), () => ({
          status: 202,
          headers: {},
          body: { job_uuid: "job_none", status: "queued" },
        })),
    ],
    "cached-for-anybody": [
      "A cache of 1 s in front looks at no key where a job is read",
      cachedForAnybody,
    ],
    "cancel-open": [
      "A cancel without a key is answered 200",
      () =>
        onAnswer(all(at("job", "missing-key"), isWrite), (answer) =>
          isObject(answer.body) ? { status: 200, headers: {}, body: {} } : answer,
        ),
    ],
  }),
];
