/** JSON Schema validators for schemas that a service publishes, by the draft that they name. */

import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";

/** What is wrong with a value, one sentence each; empty when it fits. */
type Validate = (value: unknown) => string[];

/** A validator, or why there is none. */
type Compiled = { validate: Validate; problem: null } | { validate: null; problem: string };

/** Lenient where JSON Schema is: unknown keywords and formats say nothing about a value. */
const OPTIONS = { strict: false, allErrors: true, logger: false } as const;

/** Drafts by what their `$schema` contains, with or without a trailing "#". */
const DRAFTS: readonly [marker: string, create: () => Ajv][] = [
  ["draft/2020-12", () => new Ajv2020(OPTIONS)],
  ["draft/2019-09", () => new Ajv2019(OPTIONS)],
  ["draft-07", () => new Ajv(OPTIONS)],
  ["draft-06", draft06],
  ["draft-04", () => new AjvDraft04.default(OPTIONS)],
];

/**
 * A validator for a published schema, or why there is none. A schema without `$schema` is read as
 * draft-07, which is ajv's own default. No reference is fetched: an unresolved one is a problem.
 */
export function compileSchema(schema: object): Compiled {
  // `$async` is ajv's own: it would turn the check into a promise that nobody awaits.
  const { $schema, $async: _, ...rest } = schema as Record<string, unknown>;
  const create = $schema === undefined ? () => new Ajv(OPTIONS) : creatorFor(String($schema));
  if (create === undefined) {
    const problem = `"$schema" is ${JSON.stringify($schema)}, a dialect unknown here`;
    return { validate: null, problem };
  }
  try {
    return { validate: validator(create(), rest), problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { validate: null, problem };
  }
}

function creatorFor(dialect: string): (() => Ajv) | undefined {
  return DRAFTS.find(([marker]) => dialect.includes(`json-schema.org/${marker}`))?.[1];
}

function validator(ajv: Ajv, schema: object): Validate {
  addFormats.default(ajv);
  const check = ajv.compile(schema);
  return (value) => {
    if (check(value)) return [];
    return (check.errors ?? []).map((error) => {
      const where = error.instancePath === "" ? "the input" : error.instancePath;
      return `${where} ${error.message ?? error.keyword}`;
    });
  };
}

function draft06(): Ajv {
  const require = createRequire(import.meta.url);
  const ajv = new Ajv(OPTIONS);
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json") as object);
  ajv.opts.defaultMeta = "http://json-schema.org/draft-06/schema";
  return ajv;
}
