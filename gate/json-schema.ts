/** Schemas that a service publishes, by the draft they name: are they valid, what fits them? */

import { createRequire } from "node:module";
import type { Options, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import type { JsonObject } from "../contract/decode/decoded.ts";
import { isObject } from "../contract/decode/decoded.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../contract/requests/exchange.ts";
import { messageOf } from "../contract/text/thrown.ts";
import { withinTime } from "./within-time.ts";

/** The schema of its input in a worker's detail. Spec §2.3. */
export function inputSchemaIn(answer: Exchange): JsonObject | null {
  const detail = isSuccess(answer) ? jsonBody(answer) : undefined;
  const schema = isObject(detail) ? detail.input_schema : undefined;
  return isObject(schema) ? schema : null;
}

/** Lenient where JSON Schema is: unknown keywords and formats say nothing, and are no faults. */
const OPTIONS = { strict: false, allErrors: true, logger: false } as const;

interface Draft {
  /** What its `$schema` contains after the host, with or without a trailing "#". */
  marker: string;
  metaschema: string;
  create: (options: Options) => Ajv;
}

const draft06: Draft = {
  marker: "draft-06",
  metaschema: "http://json-schema.org/draft-06/schema",
  create(options) {
    const require = createRequire(import.meta.url);
    const ajv = new Ajv(options);
    ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json") as object);
    ajv.opts.defaultMeta = draft06.metaschema;
    return ajv;
  },
};

const draft07: Draft = {
  marker: "draft-07",
  metaschema: "http://json-schema.org/draft-07/schema",
  create: (options) => new Ajv(options),
};

/** Newest first. Source: json-schema.org, "Specification". */
const DRAFTS: readonly Draft[] = [
  {
    marker: "draft/2020-12",
    metaschema: "https://json-schema.org/draft/2020-12/schema",
    create: (options) => new Ajv2020(options),
  },
  {
    marker: "draft/2019-09",
    metaschema: "https://json-schema.org/draft/2019-09/schema",
    create: (options) => new Ajv2019(options),
  },
  draft07,
  draft06,
  {
    marker: "draft-04",
    metaschema: "http://json-schema.org/draft-04/schema",
    create: (options) => new AjvDraft04.default(options),
  },
];

/** It adds keywords to that draft, and changes none. Source: OpenAPI 3.1, §4.8.24. */
const OPENAPI_DIALECT = "https://spec.openapis.org/oas/3.1/dialect/";

function draftOf(dialect: string): Draft | undefined {
  if (dialect.startsWith(OPENAPI_DIALECT)) return DRAFTS[0];
  return DRAFTS.find(({ marker }) => dialect.includes(`json-schema.org/${marker}`));
}

/** Ours: a schema of hundreds of fields takes milliseconds. */
const CHECK_MS_MAX = 1_000;

/** Why nothing is known of a schema, or of a value by it. */
export const TOO_SLOW = `its schema takes over ${CHECK_MS_MAX / 1_000} s, as with a slow pattern`;

/** What is wrong with a value, one sentence each; empty when it fits, null when it's TOO_SLOW. */
type Validate = (value: unknown) => string[] | null;

/** A validator, or why there is none. */
type Compiled = { validate: Validate; problem: null } | { validate: null; problem: string };

/**
 * A validator for a published schema, or why there is none. A schema without `$schema` is read as
 * draft-07, which is ajv's own default. No reference is fetched: an unresolved one is a problem.
 */
export function compileSchema(schema: object): Compiled {
  // `$async` is ajv's own: it would turn the check into a promise that nobody awaits.
  const { $schema, $async: _, ...rest } = schema as Record<string, unknown>;
  const draft = $schema === undefined ? draft07 : draftOf(String($schema));
  if (draft === undefined) {
    const problem = `"$schema" is ${JSON.stringify($schema)}, a dialect unknown here`;
    return { validate: null, problem };
  }
  const judged = judgeBy(draft, rest);
  if (judged.verdict === "invalid") {
    return { validate: null, problem: `schema is invalid: ${judged.problem}` };
  }
  if (judged.verdict === "unknown") return { validate: null, problem: judged.problem };
  try {
    const made = withinTime(CHECK_MS_MAX, () => validator(draft, rest));
    return made === null
      ? { validate: null, problem: TOO_SLOW }
      : { validate: made.value, problem: null };
  } catch (error) {
    const problem = messageOf(error);
    return { validate: null, problem };
  }
}

/** By an instance of its own: nothing that a schema names is there for the next, or when anew. */
function validator(draft: Draft, schema: object): Validate {
  const ajv = addFormats.default(draft.create({ ...OPTIONS, validateSchema: false }));
  const check = ajv.compile(schema);
  return (value) => {
    const fits = withinTime(CHECK_MS_MAX, () => check(value));
    if (fits === null) return null;
    if (fits.value === true) return [];
    return (check.errors ?? []).map((error) => {
      const where = error.instancePath === "" ? "the input" : error.instancePath;
      const { additionalProperty: name } = error.params as { additionalProperty?: string };
      const which = name === undefined ? "" : `: "${name}"`;
      return `${where} ${error.message ?? error.keyword}${which}`;
    });
  };
}

/** `unknown` where `$schema` names a dialect that nobody here can judge, or if too slow. */
export type SchemaJudgement =
  | { verdict: "valid" }
  | { verdict: "invalid"; problem: string }
  | { verdict: "unknown"; problem: string };

/**
 * Judged against the draft's own metaschema alone; no reference is fetched or resolved. A schema
 * that names no draft is valid when it is so in any of them.
 */
export function judgeSchema(schema: Readonly<Record<string, unknown>>): SchemaJudgement {
  const dialect = schema.$schema;
  if (dialect === undefined) {
    const judgements = DRAFTS.map((draft) => judgeBy(draft, schema));
    const valid = judgements.find(({ verdict }) => verdict === "valid");
    return valid ?? judgements[0] ?? unknownDialect("none");
  }
  if (typeof dialect !== "string") {
    return { verdict: "invalid", problem: "$schema must be a string" };
  }
  const isNamed = dialect.includes("/schema") || dialect.startsWith(OPENAPI_DIALECT);
  const draft = isNamed ? draftOf(dialect) : undefined;
  return draft === undefined ? unknownDialect(dialect) : judgeBy(draft, schema);
}

function unknownDialect(dialect: string): SchemaJudgement {
  return { verdict: "unknown", problem: `it names the unknown dialect "${dialect}"` };
}

function judgeBy(draft: Draft, schema: object): SchemaJudgement {
  const { ajv, check } = metaschemaOf(draft);
  const fits = withinTime(CHECK_MS_MAX, () => check(schema));
  if (fits === null) return { verdict: "unknown", problem: TOO_SLOW };
  if (fits.value === true) return { verdict: "valid" };
  return { verdict: "invalid", problem: ajv.errorsText(check.errors, { dataVar: "schema" }) };
}

interface Metaschema {
  ajv: Ajv;
  check: ValidateFunction;
}

/** Compiling a metaschema takes longer than judging hundreds of schemas by it. */
const METASCHEMAS = new Map<Draft, Metaschema>();

function metaschemaOf(draft: Draft): Metaschema {
  const known = METASCHEMAS.get(draft);
  if (known !== undefined) return known;
  const ajv = draft.create({ ...OPTIONS, allErrors: false });
  const check = ajv.getSchema(draft.metaschema);
  if (check === undefined) throw new Error(`ajv has no metaschema ${draft.metaschema}`);
  METASCHEMAS.set(draft, { ajv, check });
  return { ajv, check };
}
