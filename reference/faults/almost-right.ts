/**
 * Faults that let pass what is almost right: keys, identifiers and bodies, or answer it with an
 * error of the service's own. Whoever takes an empty key for one serves strangers everywhere: hence
 * the companion.
 */

import { isObject } from "../../contract/decode/decoded.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";
import type { AnswerContext, RequestFacts } from "../http.ts";
import { all, answering, at, because, onAnswer } from "./answers.ts";
import { serving } from "./auth.ts";
import type { Fault } from "./fault.ts";
import { faultsOf } from "./fault.ts";
import { letting, lettingField } from "./submissions.ts";

/** Serves a key that none has, where it is as good as one of the real keys. */
const alike = (
  isAlike: (given: string, real: string) => boolean,
  at?: (request: RequestFacts) => boolean,
) =>
  serving("invalid-key", at, (keys, given) =>
    keys.find(({ state, value }) => state === "active" && isAlike(given, value)),
  );

const atJobs = ({ route }: RequestFacts) => route === "jobs";

const allButLast = (text: string) => text.slice(0, -1);

const withEmptyKey = ({ reason, request }: AnswerContext) =>
  reason === "missing-key" && request.apiKey === "";

const found = () => ({ status: 200, headers: {}, body: {} });
const OPEN_TO_ALL = { companions: ["auth.every-endpoint"] } as const;

const KEY_FAULTS: readonly Fault[] = [
  ...faultsOf("auth.invalid-key", {
    "last-character-ignored": [
      "A key is accepted whatever its last character is",
      alike((given, real) => allButLast(given) === allButLast(real)),
    ],
    "any-case": [
      "A key is accepted in any letter case",
      alike((given, real) => given.toLowerCase() === real.toLowerCase()),
    ],
    "tail-accepted": [
      "A key is accepted with a tail",
      alike((given, real) => given.startsWith(real)),
    ],
    "cut-accepted": [
      "A key is accepted that lacks its last character",
      alike((given, real) => given === allButLast(real)),
    ],
    "first-half-enough": [
      "A key is looked up by its first half",
      alike((given, real) => given.slice(0, 20) === real.slice(0, 20)),
    ],
    "second-half-enough": [
      "A key is looked up by its second half",
      alike((given, real) => given.slice(-14) === real.slice(-14)),
    ],
    "form-enough": [
      "Whatever has the form of a key is accepted",
      alike((given) => /^plk_[0-9a-f]{32}$/.test(given)),
    ],
    "tail-accepted-at-jobs": [
      "The job list accepts a key with a tail",
      alike((given, real) => given.startsWith(real), atJobs),
    ],
  }),
  ...faultsOf("auth.missing-key", {
    "empty-500": ["An empty key is answered 500", answering(withEmptyKey, 500), OPEN_TO_ALL],
    "empty-served": [
      "An empty key is answered as a valid one",
      () => onAnswer(withEmptyKey, found),
      OPEN_TO_ALL,
    ],
  }),
  ...faultsOf("auth.every-endpoint", {
    "empty-key-at-jobs": [
      "The job list takes an empty key for a valid one",
      () =>
        onAnswer(
          all(withEmptyKey, ({ request }) => atJobs(request)),
          () => ({ status: 200, headers: {}, body: { jobs: [] } }),
        ),
    ],
  }),
];

const unknownJob = because("unknown-job");
const unknownWorker = because("unknown-worker");
const inCapitals = ({ request }: AnswerContext) => /[A-Z]/.test(request.parameter);
const asIssued = ({ request }: AnswerContext) => /^job_[0-9a-f]{32}$/.test(request.parameter);
const withTail = ({ request }: AnswerContext) => /^job_[0-9a-f]{32}./.test(request.parameter);
const otherThanIssued = (context: AnswerContext) => !asIssued(context);
const ofEcho = ({ request }: AnswerContext) => request.parameter.startsWith("echo");
/** Else the router answers what has not the form of an identifier. */
const LOOKED_UP = { illFormedIds: "looked-up" } as const;
/** What is written for one form of identifiers shows with that alone. */
const OF_HEX_IDS = { choices: { jobIds: "hex", ...LOOKED_UP } } as const;

/** As parsers of numbers read that stop where the digits do. */
function readAsFarAsDigits(): Partial<Hooks> {
  const issued = new Set<string>();
  return {
    answer(answer, context) {
      if (context.job !== null) issued.add(context.job.id);
      const [digits = ""] = /^[0-9]*/.exec(context.request.parameter) ?? [];
      return unknownJob(context) && issued.has(digits) ? found() : answer;
    },
  };
}

const ID_FAULTS: readonly Fault[] = [
  ...faultsOf("job.unknown", {
    "issued-form-500": [
      "An unknown job is 500 where its identifier could be one",
      answering(all(unknownJob, asIssued), 500),
      OF_HEX_IDS,
    ],
    "tail-served": [
      "A job is found by an identifier with a tail",
      () => onAnswer(all(unknownJob, withTail), found),
      OF_HEX_IDS,
    ],
    "id-read-as-far-as-digits": [
      "Where identifiers are numbers, a job is found by its own and a letter more",
      readAsFarAsDigits,
      { choices: { jobIds: "number", ...LOOKED_UP } },
    ],
    "ill-formed-500": [
      "What can't be an identifier is answered 500",
      answering(all(unknownJob, otherThanIssued), 500),
      OF_HEX_IDS,
    ],
    "cancel-500": [
      "A cancel of an unknown job is answered 500",
      answering(
        all(unknownJob, ({ request }) => request.method !== "GET"),
        500,
      ),
    ],
    "near-router-400": [
      "What can't be an identifier is answered 400",
      answering(all(unknownJob, otherThanIssued), 400),
      OF_HEX_IDS,
    ],
    "near-redirected": [
      "An identifier in capitals is redirected to small letters",
      answering(all(unknownJob, inCapitals), 308),
      OF_HEX_IDS,
    ],
  }),
  ...faultsOf("workers.unknown", {
    "answers-500": [
      "An unknown worker is answered 500",
      answering("unknown-worker", 500),
      { companions: ["workers.publish"] },
    ],
    "capitals-500": [
      "An identifier with a capital letter is answered 500 where no worker has it",
      answering(all(unknownWorker, inCapitals), 500),
      { choices: LOOKED_UP },
    ],
    "near-redirected": [
      "An identifier in capitals is redirected to small letters",
      answering(all(unknownWorker, inCapitals), 301),
    ],
    "tail-served": [
      "A worker is found by an identifier with a tail",
      () => onAnswer(all(at("worker", "unknown-worker"), ofEcho), found),
    ],
  }),
];

/** Workers are told apart by what they take: names may be any. */
const takes = ({ inputSchema }: Worker, field: string) =>
  isObject(inputSchema.properties) && field in inputSchema.properties;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BODY_FAULTS: readonly Fault[] = [
  ...faultsOf("submit.malformed", {
    "tail-accepted": [
      "Text after the JSON is ignored",
      letting("malformed", (text) => /^\{.*\}\s*[^}]+$/s.test(text)),
    ],
    "comma-accepted": [
      "A trailing comma is ignored",
      letting("malformed", (text) => /,\s*\}$/.test(text)),
    ],
    "empty-accepted": [
      "An empty body counts as an empty object",
      letting("malformed", (text) => text === ""),
    ],
    "hollow-accepted": [
      "An empty list or a blank counts as an empty object where nothing is required",
      letting("malformed", (text, { inputSchema: { required } }) => {
        const needsNothing = Array.isArray(required) && required.length === 0;
        return needsNothing && [" ", "[]"].includes(text);
      }),
    ],
    "cut-accepted": [
      "A body that lacks its last bracket is accepted",
      letting("malformed", (text) => isJson(`${text}}`)),
    ],
    "empty-422": [
      "An empty body is answered 422",
      answering(
        all(because("malformed"), ({ request }) => request.body === ""),
        422,
      ),
    ],
    "answers-500": ["A malformed body is answered 500", answering("malformed", 500)],
  }),
  ...faultsOf("submit.missing-field", {
    "answers-500": ["A missing field is answered 500", answering("missing-field", 500)],
    "one-worker": [
      "One worker accepts a body without a required field",
      letting("missing-field", (_, worker) => takes(worker, "pages")),
    ],
  }),
  ...faultsOf("submit.schema-violation", {
    "answers-500": ["A violated schema is answered 500", answering("schema-violation", 500)],
    "one-worker": [
      "One worker does not validate its input",
      letting("schema-violation", (_, worker) => takes(worker, "count")),
    ],
    "maximum-off-by-one": [
      "A number may be one above its maximum",
      lettingField((value) => value === 11),
    ],
    "minimum-off-by-one": [
      "A number may be one below its minimum",
      lettingField((value, name) => name === "repeat" && value === 0),
    ],
    "fraction-accepted": [
      "An integer may be a fraction",
      lettingField((value) => typeof value === "number" && value % 1 === 0.5),
    ],
    "other-fields-accepted": [
      "Fields that the schema does not allow are accepted",
      lettingField((_, name) => name.startsWith("plumbline_")),
    ],
    "empty-text-accepted": [
      "A text may be shorter than its schema says",
      lettingField((value) => value === ""),
    ],
  }),
];

export const ALMOST_RIGHT_FAULTS: readonly Fault[] = [...KEY_FAULTS, ...ID_FAULTS, ...BODY_FAULTS];
