/** The shape of the target file, plumbline.yaml: names, types, defaults. */

import { z } from "zod";
import { SIGNATURE_SCHEMES } from "../../contract/jobs/delivery.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import { DEFAULT_TOLERANCES, LOAD_GENERATORS, PARTS } from "../../contract/run/run-plan.ts";
import { END_STATES } from "../../contract/states.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../../contract/webhook-schedule.ts";
import { HEADER_NAME, HEADER_NAME_FORM } from "../../receiver/options.ts";
import { LISTEN_FORM as FORM, parseListenAddress } from "../values/listen-address.ts";
import {
  aboveZero,
  duration,
  expected,
  httpUrl,
  mapping,
  nonNegative,
  oneOf,
  outOfRange,
  positive,
  share,
  text,
  wholeNumber,
} from "./fields.ts";
import { ENVIRONMENT_NAME } from "./key-checks.ts";

const json = z.json();

const TIME_SCALE = "a number above 0 and up to 1";

const target = mapping({
  baseUrl: httpUrl.describe("Final address of the service; redirects are not followed."),
  timeScale: z
    .number({ error: expected(TIME_SCALE) })
    .gt(0, { error: outOfRange(TIME_SCALE) })
    .lte(1, { error: outOfRange(TIME_SCALE) })
    .default(1)
    .describe("Test services only: share of the stated times that passes."),
});

/** Names go into reports, metrics and file names, so they stay plain. */
const plainName = text("a name").regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: "expected a name of up to 64 letters, digits, dots, dashes and underscores",
});

/** The text is not repeated: somebody may have put the key itself here. */
const environmentName = text("the name of an environment variable").regex(ENVIRONMENT_NAME, {
  error:
    "is not the name of an environment variable; expected one such as PLUMBLINE_KEY_FREE, " +
    "whose value is the secret",
});

const key = mapping({
  name: plainName.describe("What reports call the key."),
  plan: oneOf("plan", ["free", "pro", "enterprise"])
    .optional()
    .describe("Without one nothing about this key's limits is judged."),
  account: text("the name of an account")
    .optional()
    .describe("Any word; keys with the same one belong to one account."),
  env: environmentName.describe("Environment variable that holds the key."),
  webhookSecretEnv: environmentName
    .optional()
    .describe("Environment variable that holds the secret of this key's webhooks."),
  state: oneOf("state", ["active", "revoked", "exhausted"])
    .default("active")
    .describe("revoked: must be refused; exhausted: its account has no credits."),
  sustained: positive("a number of requests a second above 0").optional(),
  burst: positive("a number of requests above 0").optional(),
});

const worker = mapping({
  id: text("the worker_id of a worker").describe("The worker_id of the catalogue."),
  input: z
    .record(z.string(), json, { error: expected("a mapping, the worker's input") })
    .default({})
    .describe("What its input_schema accepts."),
  marker: text("the name of a text field of the input")
    .optional()
    .describe("A free text field of the input, by which a lost job is found again."),
}).meta({ id: "worker" });

const PART_NAMES = PARTS as readonly [Part, ...Part[]];

function perPart<Value extends z.ZodType>(value: Value) {
  const optional = value.optional();
  return mapping(
    Object.fromEntries(PART_NAMES.map((part) => [part, optional])) as Record<Part, typeof optional>,
  );
}

export const CANCEL_METHODS = ["DELETE", "POST", "PATCH", "PUT", "auto"] as const;

const cancel = mapping({
  method: oneOf("method", CANCEL_METHODS),
  body: json.default(null),
}).refine(({ method, body }) => method !== "auto" || body === null, {
  error: "method auto explores by itself; expected no body beside it",
  path: ["body"],
});

const headerName = text(HEADER_NAME_FORM).regex(HEADER_NAME, {
  error: ({ input }) => `"${input}" is not ${HEADER_NAME_FORM}`,
});

const webhook = mapping({
  listen: text("an address such as 127.0.0.1:0")
    .transform((value, context) => {
      const address = parseListenAddress(value);
      if (address !== null) return address;
      context.addIssue({
        code: "custom",
        message: `"${value}" is not an address; expected ${FORM}`,
      });
      return z.NEVER;
    })
    .prefault("127.0.0.1:0"),
  publicUrl: httpUrl.optional(),
  signature: mapping({
    header: headerName.default(WEBHOOK_SIGNATURE_HEADER),
    scheme: oneOf("scheme", SIGNATURE_SCHEMES).optional(),
    secretEnv: environmentName.optional(),
  }).optional(),
});

const percentage = z
  .string({ error: expected('a share such as "95%"') })
  .regex(/^\d+(\.\d+)?%$/, { error: ({ input }) => `"${input}" is not a share such as "95%"` })
  .refine((text) => Number.parseFloat(text) <= 100, {
    error: ({ input }) => `"${input}" is more than all; expected "100%" at the most`,
  });

const weight = positive("a weight above 0").optional();

/** Ours: no machine has more cores than that for a load. */
const SHARDS_MAX = 64;

const load = mapping({
  jobsPerSecond: positive("a number of jobs a second above 0").describe("Arrival rate."),
  duration: aboveZero(duration).describe("At most 15s in quick, 2m in standard."),
  keys: z
    .array(plainName, { error: expected("a list of names of keys") })
    .min(1, { error: "is empty; expected the name of an active key" })
    .optional(),
  beyondPlan: z.boolean({ error: expected("true or false") }).default(false),
  shards: z
    .int({ error: expected("a whole number of virtual users") })
    .min(1, { error: "is less than one; expected a whole number of virtual users" })
    .max(SHARDS_MAX, { error: `is too many; expected ${SHARDS_MAX} at the most` })
    .optional(),
  generator: oneOf("generator", LOAD_GENERATORS).optional().describe("What sends the load."),
  mix: mapping({ ...perPart(positive("a weight above 0")).shape, cancel: weight }).optional(),
  objectives: mapping({
    driftShare: share.optional(),
    throughput: percentage.optional(),
    submitP99: duration.optional(),
    queueWaitP99: duration.optional(),
    errorShare: share.optional(),
  }).optional(),
});

const canary = mapping({
  name: plainName,
  part: oneOf("part", PART_NAMES),
  every: aboveZero(duration).describe("One job so often."),
  deadline: aboveZero(duration)
    .optional()
    .describe("A job that has not ended by then counts as stuck."),
  webhook: z.boolean({ error: expected("true or false") }).default(false),
  jitter: share.optional(),
  expect: oneOf("end", END_STATES).optional(),
  overlap: positive("a number of runs above 0").optional(),
});

const PERCENTAGE = "a percentage above 0, below 100";

const objective = mapping({
  name: plainName,
  objective: z
    .number({ error: expected("a percentage such as 99.5") })
    .gt(0, { error: outOfRange(PERCENTAGE) })
    .lt(100, { error: outOfRange(PERCENTAGE) }),
});

/** Milliseconds by their name, or a duration that says its unit. */
const milliseconds = z
  .union([nonNegative("a number of ms, 0 or more"), duration], {
    error: expected("a duration such as 500ms or 2s, or a number of ms"),
  })
  .meta({ id: "milliseconds" });

const tolerances = mapping({
  webhookWaitEarlyMs: milliseconds.default(DEFAULT_TOLERANCES.webhookWaitEarlyMs),
  webhookWaitLateMs: milliseconds.default(DEFAULT_TOLERANCES.webhookWaitLateMs),
  webhookWaitLateShare: share.default(DEFAULT_TOLERANCES.webhookWaitLateShare),
  timeoutEarlyMs: milliseconds.default(DEFAULT_TOLERANCES.timeoutEarlyMs),
  timeoutLateMs: milliseconds.default(DEFAULT_TOLERANCES.timeoutLateMs),
  timeoutLateShare: share.default(DEFAULT_TOLERANCES.timeoutLateShare),
  sustainedShare: share.default(DEFAULT_TOLERANCES.sustainedShare),
  burstMissing: nonNegative("a number of requests, 0 or more").default(
    DEFAULT_TOLERANCES.burstMissing,
  ),
  burstExcess: nonNegative("a number of requests, 0 or more").default(
    DEFAULT_TOLERANCES.burstExcess,
  ),
  retryAfterExcessMs: milliseconds.default(DEFAULT_TOLERANCES.retryAfterExcessMs),
  endWithin: milliseconds.nullable().default(DEFAULT_TOLERANCES.endWithinMs),
});

const budget = mapping({
  jobs: wholeNumber("a whole number of jobs, 0 or more").nullable().default(null),
  credits: nonNegative("a number of credits, 0 or more").nullable().default(null),
  usd: nonNegative("an amount in USD, 0 or more").nullable().default(null),
}).meta({ id: "budget" });

/** Ours: the best places of more polls take seconds to be found, and tell nothing more. */
const REQUESTS_PER_JOB_MAX = 1_000;

const probe = mapping({
  budget: mapping({ day: budget.optional(), month: budget.optional() }).optional(),
  requestsPerJob: z
    .int({ error: expected("a whole number of requests, 2 or more") })
    .min(2, { error: ({ input }) => `${input} is too few; expected 2 or more` })
    .max(REQUESTS_PER_JOB_MAX, {
      error: ({ input }) => `${input} is too many; expected ${REQUESTS_PER_JOB_MAX} or fewer`,
    })
    .optional(),
  rateShare: aboveZero(share).optional(),
  key: plainName.optional(),
  links: mapping({ runbook: httpUrl.optional(), dashboard: httpUrl.optional() }).optional(),
  metrics: mapping({
    legacy: z.boolean({ error: expected("true or false") }).default(false),
  }).optional(),
});

export const targetFileSchema = mapping({
  target: target.describe("The service."),
  keys: z
    .array(key, { error: expected("a list of keys") })
    .min(1, { error: "is empty; expected at least one key" })
    .describe("API keys by the variables that hold them; used by nobody else during a run."),
  workers: perPart(worker).default({}).describe("Which worker plays which part."),
  publish: mapping({
    worker: text("the worker_id of a worker of yours"),
    key: text("the name of a key of the account that owns it").optional(),
  })
    .optional()
    .describe("A worker of your own; it is published for real."),
  cancel: cancel.optional().describe("The request that cancels a job."),
  webhook: webhook.optional().describe("Where webhooks are received."),
  load: load.optional().describe("What the load phase offers, and its objectives."),
  canaries: z
    .array(canary, { error: expected("a list of canaries") })
    .optional()
    .describe("Jobs that the probe submits day and night."),
  slo: z
    .array(objective, { error: expected("a list of objectives") })
    .optional()
    .describe("Objectives of the probe's service levels."),
  probe: probe.optional().describe("What the probe may spend and send."),
  tolerances: tolerances.prefault({}).describe("How far a quantity may be off."),
  budget: budget.optional().describe("Ceiling of a whole run."),
});

export type TargetFile = z.infer<typeof targetFileSchema>;
