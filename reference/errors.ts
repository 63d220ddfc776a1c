/** Error answers of the service, in the shapes that the specification leaves open. Spec §7. */

import type { Choices } from "./choices.ts";
import type { Answer, Reason } from "./http.ts";

interface ErrorKind {
  status: number;
  code: string;
}

const KINDS = {
  "missing-key": { status: 401, code: "unauthorized" },
  "invalid-key": { status: 401, code: "unauthorized" },
  "revoked-key": { status: 401, code: "unauthorized" },
  "rate-limited": { status: 429, code: "rate_limited" },
  "unknown-route": { status: 404, code: "not_found" },
  "unknown-worker": { status: 404, code: "worker_not_found" },
  "unknown-job": { status: 404, code: "job_not_found" },
  malformed: { status: 400, code: "malformed_body" },
  "missing-field": { status: 400, code: "missing_field" },
  "schema-violation": { status: 422, code: "invalid_input" },
  "insufficient-credits": { status: 402, code: "insufficient_credits" },
  "cancel-refused": { status: 409, code: "not_cancellable" },
} as const satisfies Readonly<Partial<Record<Reason, ErrorKind>>>;

export type Refusal = keyof typeof KINDS;

export function errorAnswer(reason: Refusal, message: string, shape: Choices["errorBody"]): Answer {
  const { status, code } = KINDS[reason];
  return shaped(status, code, message, status === 401 ? "flat" : shape);
}

/** The 401's shape is the specification's; the rest may have any. Spec §7. */
function shaped(
  status: number,
  code: string,
  message: string,
  shape: Choices["errorBody"],
): Answer {
  switch (shape) {
    case "flat":
      return { status, headers: {}, body: { error: code, message, status } };
    case "nested":
      return { status, headers: {}, body: { error: { code, message } } };
    case "problem":
      return {
        status,
        headers: { "content-type": "application/problem+json" },
        body: { type: `urn:error:${code}`, title: message, status },
      };
    case "text":
      return {
        status,
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: undefined,
        text: `${message}\n`,
      };
    case "html":
      return {
        status,
        headers: { "content-type": "text/html" },
        body: undefined,
        text: `<html><body><h1>${status}</h1><p>${message}</p></body></html>\n`,
      };
    case "empty":
      return { status, headers: {}, body: undefined };
  }
}
