/** Judges submissions that the specification refuses. Spec §4.3, §7. */

import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { judgeStatus } from "./expected-status.ts";

/** Statuses about the key, the credits or the worker: the body was not what decided. */
const NOT_ABOUT_THE_BODY = [401, 402, 404];

export function judgeMalformed(cases: readonly StatusCase[], without: string): Finding {
  return judgeStatus(
    {
      promise: "submit.malformed",
      expected: 400,
      doubtful: NOT_ABOUT_THE_BODY,
      withoutCases: without,
    },
    cases,
  );
}

export function judgeMissingField(cases: readonly StatusCase[], without: string): Finding {
  return judgeStatus(
    {
      promise: "submit.missing-field",
      expected: 400,
      doubtful: NOT_ABOUT_THE_BODY,
      withoutCases: without,
    },
    cases,
  );
}

export function judgeSchemaViolation(cases: readonly StatusCase[], without: string): Finding {
  return judgeStatus(
    {
      promise: "submit.schema-violation",
      expected: 422,
      doubtful: NOT_ABOUT_THE_BODY,
      withoutCases: without,
    },
    cases,
  );
}

/** A key or a worker that the service does not know says nothing about credits. */
export function judgeInsufficientCredits(cases: readonly StatusCase[], without: string): Finding {
  return judgeStatus(
    {
      promise: "submit.insufficient-credits",
      expected: 402,
      doubtful: [401, 404],
      withoutCases: without,
    },
    cases,
  );
}
