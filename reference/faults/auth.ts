/**
 * Faults of the auth promises. Whoever serves strangers at one endpoint breaks the promise of that
 * endpoint, and that of all endpoints with it: hence the companions.
 */

import type { RouteName } from "../../contract/routes.ts";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { AuthOutcome, Hooks } from "../hooks.ts";
import { because, isFields, onAnswer, onBody, without, withStatus } from "./answers.ts";
import { type Fault, type FaultScene, fault, nearMiss, oneIn } from "./fault.ts";

const unauthorized = because("missing-key", "invalid-key", "revoked-key");

/** The key under which a fault serves those who have none. */
function guest({ keys }: FaultScene): ReferenceKey {
  const [key] = keys;
  if (key === undefined) throw new Error("no keys; expected the service to have at least one");
  return key;
}

function servingGuests(
  scene: FaultScene,
  refusal: AuthOutcome["refusal"],
  which: (route: RouteName | null) => boolean,
): Partial<Hooks> {
  const served: AuthOutcome = { key: guest(scene), refusal: null };
  return {
    authenticate: (outcome, { route }) =>
      outcome.refusal === refusal && which(route) ? served : outcome,
  };
}

function servingRevoked(
  scene: FaultScene,
  when: (route: RouteName | null) => boolean,
): Partial<Hooks> {
  return {
    authenticate(outcome, { apiKey, route }) {
      const key = scene.keys.find(({ value }) => value === apiKey);
      if (outcome.refusal !== "revoked-key" || key === undefined || !when(route)) return outcome;
      return { key, refusal: null };
    },
  };
}

/** Finds the key header in these spellings only, as whoever compares names letter by letter. */
function knowing(...spellings: string[]): Partial<Hooks> {
  return {
    authenticate(outcome, { rawHeaders }) {
      const isFound = rawHeaders.some((name, at) => at % 2 === 0 && spellings.includes(name));
      return isFound ? outcome : { key: null, refusal: "missing-key" };
    },
  };
}

const open = (route: RouteName) => (scene: FaultScene) =>
  servingGuests(scene, "missing-key", (asked) => asked === route);

export const AUTH_FAULTS: readonly Fault[] = [
  fault("auth.missing-key", "answers-403", "No key: 403 in place of 401", () =>
    onAnswer(because("missing-key"), withStatus(403)),
  ),
  fault("auth.missing-key", "answers-400", "No key: 400 in place of 401", () =>
    onAnswer(because("missing-key"), withStatus(400)),
  ),
  fault("auth.missing-key", "served", "No key: the account is shown", open("me"), {
    companions: ["auth.every-endpoint"],
  }),
  fault("auth.invalid-key", "answers-403", "An unknown key: 403 in place of 401", () =>
    onAnswer(because("invalid-key"), withStatus(403)),
  ),
  fault("auth.invalid-key", "served", "An unknown key is served", (scene) =>
    servingGuests(scene, "invalid-key", () => true),
  ),
  fault("auth.revoked-key", "served", "A revoked key works on", (scene) =>
    servingRevoked(scene, () => true),
  ),
  fault("auth.revoked-key", "served-once-in-a-while", "A revoked key works 1 time in 2", (scene) =>
    servingRevoked(scene, oneIn(2, scene.random)),
  ),
  fault("auth.revoked-key", "submits", "A revoked key may submit, and nothing else", (scene) =>
    servingRevoked(scene, (route) => route === "submit"),
  ),
  fault("auth.revoked-key", "answers-403", "A revoked key: 403 in place of 401", () =>
    onAnswer(because("revoked-key"), withStatus(403)),
  ),
  fault("auth.error-body", "status-as-text", 'The 401\'s body has status "401"', () =>
    onBody(unauthorized, (body) => ({ ...body, status: "401" })),
  ),
  fault("auth.error-body", "wrong-status", "The 401's body has status 403", () =>
    onBody(unauthorized, (body) => ({ ...body, status: 403 })),
  ),
  fault("auth.error-body", "no-message", "The 401's body has no message", () =>
    onBody(unauthorized, (body) => without(body, "message")),
  ),
  fault("auth.error-body", "error-as-object", "The 401's error is an object", () =>
    onBody(unauthorized, (body) => ({ ...body, error: { code: body.error } })),
  ),
  fault("auth.error-body", "plain-text", "The 401's body is plain text", () =>
    onAnswer(unauthorized, ({ status, headers }) => ({
      status,
      headers: { ...headers, "content-type": "text/plain" },
      body: undefined,
      text: "unauthorized\n",
    })),
  ),
  fault("auth.error-body", "for-unknown-keys-only", "Only an unknown key's 401 is empty", () =>
    onAnswer(because("invalid-key"), (answer) => ({ ...answer, body: undefined })),
  ),
  nearMiss("auth.error-body", "more-fields", "The 401's body has further fields", () =>
    onBody(unauthorized, (body) => ({ ...body, request_id: "req_1", details: null })),
  ),
  fault("auth.header-case", "upper-case-refused", "X-API-KEY is not understood", () =>
    knowing("x-api-key", "X-Api-Key"),
  ),
  fault("auth.every-endpoint", "job-list-open", "The job list needs no key", open("jobs")),
  fault("auth.every-endpoint", "credits-open", "The credits need no key", open("credits")),
  fault("auth.every-endpoint", "deployments-open", "Deployments need no key", open("deployments")),
  fault("auth.every-endpoint", "worker-open", "A worker's detail needs no key", open("worker")),
  fault("auth.every-endpoint", "submit-open", "A submission without a key is answered 202", () =>
    onAnswer(
      ({ reason, request }) => reason === "missing-key" && request.route === "submit",
      () => ({ status: 202, headers: {}, body: { job_uuid: "job_none", status: "queued" } }),
    ),
  ),
  fault("auth.every-endpoint", "cancel-open", "A cancel without a key is answered 200", () =>
    onAnswer(
      ({ reason, request }) =>
        reason === "missing-key" && request.route === "job" && request.method !== "GET",
      (answer) => (isFields(answer.body) ? { status: 200, headers: {}, body: {} } : answer),
    ),
  ),
];
