/** Whether a schema is a valid JSON Schema of the draft that it names. */

import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";

/** `unknown` where `$schema` names a dialect that nobody here can judge. */
export type SchemaJudgement =
  | { verdict: "valid" }
  | { verdict: "invalid"; problem: string }
  | { verdict: "unknown"; dialect: string };

/** Lenient where JSON Schema is: unknown keywords and formats are no faults. */
const OPTIONS = { strict: false, allErrors: false, logger: false } as const;

interface Draft {
  /** What its `$schema` contains. */
  marker: string;
  metaschema: string;
  create: () => Ajv;
}

/** Newest first. Source: json-schema.org, "Specification". */
const DRAFTS: readonly Draft[] = [
  {
    marker: "draft/2020-12/schema",
    metaschema: "https://json-schema.org/draft/2020-12/schema",
    create: () => new Ajv2020(OPTIONS),
  },
  {
    marker: "draft/2019-09/schema",
    metaschema: "https://json-schema.org/draft/2019-09/schema",
    create: () => new Ajv2019(OPTIONS),
  },
  {
    marker: "draft-07/schema",
    metaschema: "http://json-schema.org/draft-07/schema",
    create: () => new Ajv(OPTIONS),
  },
  {
    marker: "draft-06/schema",
    metaschema: "http://json-schema.org/draft-06/schema",
    create: draft06,
  },
  {
    marker: "draft-04/schema",
    metaschema: "http://json-schema.org/draft-04/schema",
    create: () => new AjvDraft04.default(OPTIONS),
  },
];

/**
 * Judged against the draft's own metaschema alone; no reference is fetched or resolved. A schema
 * that names no draft is valid when it is so in any of them.
 */
export function judgeSchema(schema: Readonly<Record<string, unknown>>): SchemaJudgement {
  const dialect = schema.$schema;
  if (dialect === undefined) return judgeByAny(schema);
  if (typeof dialect !== "string") {
    return { verdict: "invalid", problem: "$schema must be a string" };
  }
  const draft = DRAFTS.find(({ marker }) => dialect.includes(`json-schema.org/${marker}`));
  return draft === undefined ? { verdict: "unknown", dialect } : judgeBy(draft, schema);
}

function judgeByAny(schema: object): SchemaJudgement {
  const judgements = DRAFTS.map((draft) => judgeBy(draft, schema));
  const valid = judgements.find(({ verdict }) => verdict === "valid");
  return valid ?? judgements[0] ?? { verdict: "unknown", dialect: "none" };
}

function judgeBy(draft: Draft, schema: object): SchemaJudgement {
  const { ajv, check } = compiled(draft);
  if (check(schema) === true) return { verdict: "valid" };
  return { verdict: "invalid", problem: ajv.errorsText(check.errors, { dataVar: "schema" }) };
}

interface Compiled {
  ajv: Ajv;
  check: ValidateFunction;
}

/** Compiling a metaschema takes longer than judging hundreds of schemas by it. */
const COMPILED = new Map<Draft, Compiled>();

function compiled(draft: Draft): Compiled {
  const known = COMPILED.get(draft);
  if (known !== undefined) return known;
  const ajv = draft.create();
  const check = ajv.getSchema(draft.metaschema);
  if (check === undefined) throw new Error(`ajv has no metaschema ${draft.metaschema}`);
  COMPILED.set(draft, { ajv, check });
  return { ajv, check };
}

function draft06(): Ajv {
  const require = createRequire(import.meta.url);
  const ajv = new Ajv(OPTIONS);
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json") as object);
  return ajv;
}
