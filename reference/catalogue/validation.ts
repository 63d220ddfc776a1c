/** Judges the body of a submission: malformed, incomplete, or against the worker's schema. */

import { Ajv, type ValidateFunction } from "ajv";
import ajvFormats from "ajv-formats";
import type { Json } from "../../contract/verdict.ts";
import type { JsonObject, Worker } from "./worker.ts";

export type BodyProblem = "malformed" | "missing-field" | "schema-violation";

export interface ParsedBody {
  problem: BodyProblem | null;
  message: string;
  input: JsonObject;
  webhook: string | null;
  priority: Priority;
}

/** Values of `priority`. Spec §4.3 shows `normal`; the others are ours. */
const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

export class BodyReader {
  private readonly ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    ajvFormats.default(this.ajv);
  }

  /** Always yields an input, so that a service that lets a bad body pass can run it. */
  read(text: string, worker: Worker): ParsedBody {
    const body = parseObject(text);
    if (body === null) return problem("malformed", "the body is not a JSON object", {});
    const { webhook, priority, ...input } = body;
    const validate = this.validator(worker);
    if (!validate(input)) return this.refused(validate, input, controls(webhook, priority));
    if (webhook !== undefined && !isWebUrl(webhook)) {
      return problem("schema-violation", "webhook is not an http or https URL", input);
    }
    if (priority !== undefined && !isPriority(priority)) {
      return problem("schema-violation", `priority is none of ${PRIORITIES.join(", ")}`, input);
    }
    return { problem: null, message: "", input, ...controls(webhook, priority) };
  }

  private refused(
    validate: ValidateFunction,
    input: JsonObject,
    rest: Pick<ParsedBody, "webhook" | "priority">,
  ): ParsedBody {
    const errors = validate.errors ?? [];
    const missing = errors.some((error) => error.keyword === "required");
    const kind = missing ? "missing-field" : "schema-violation";
    return { ...problem(kind, this.ajv.errorsText(errors, { dataVar: "body" }), input), ...rest };
  }

  private validator(worker: Worker): ValidateFunction {
    const known = this.compiled.get(worker.id);
    if (known !== undefined) return known;
    const compiled = this.ajv.compile(worker.inputSchema);
    this.compiled.set(worker.id, compiled);
    return compiled;
  }
}

function problem(kind: BodyProblem, message: string, input: JsonObject): ParsedBody {
  return { problem: kind, message, input, webhook: null, priority: "normal" };
}

function controls(webhook: unknown, priority: unknown): Pick<ParsedBody, "webhook" | "priority"> {
  return {
    webhook: isWebUrl(webhook) ? webhook : null,
    priority: isPriority(priority) ? priority : "normal",
  };
}

function parseObject(text: string): { [key: string]: Json } | null {
  try {
    const body = JSON.parse(text) as unknown;
    if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
    return body as { [key: string]: Json };
  } catch {
    return null;
  }
}

function isPriority(value: unknown): value is Priority {
  return (PRIORITIES as readonly unknown[]).includes(value);
}

function isWebUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}
