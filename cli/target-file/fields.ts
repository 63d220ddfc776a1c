/** Building blocks of the target file's schema, with messages that say what was expected. */

import { z } from "zod";

import { DURATION_FORM, DURATION_PATTERN, parseDuration } from "../values/duration.ts";
import { didYouMean } from "../values/nearest.ts";
import { shownAddress } from "../values/shown-address.ts";

/** Ours: enough of a value to recognise it; a pasted secret is not worth repeating in full. */
const SHOWN_CHARS_MAX = 24;

interface Issue {
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[];
}

/** Says what was expected, and of a wrong value its kind alone: it might be a pasted secret. */
export function expected(what: string): (issue: Issue) => string {
  return ({ input }) =>
    input === undefined ? `is missing; expected ${what}` : `expected ${what}, got ${kind(input)}`;
}

function kind(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return "a text";
  return `the ${typeof value} ${String(value)}`;
}

/** A mapping with these names and no others. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? unknownNames(issue.keys as readonly string[], names)
        : expected(`a mapping of ${names.join(", ")}`)(issue),
  });
}

function unknownNames(unknown: readonly string[], names: readonly string[]): string {
  const shown = unknown.map((name) => `"${cut(name)}"${didYouMean(name, names)}`).join(", ");
  return `unknown name ${shown}; expected one of: ${names.join(", ")}`;
}

/** One of a few words; `what` names it in the message: unknown plan "gold"; expected one of: ... */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  what: string,
  words: Words,
) {
  return z.enum(words, {
    error: ({ input }) => {
      if (input === undefined) return `is missing; expected one of: ${words.join(", ")}`;
      const shown = typeof input === "string" ? `"${cut(input)}"` : kind(input);
      return `unknown ${what} ${shown}; expected one of: ${words.join(", ")}`;
    },
  });
}

export function text(what: string) {
  const isEmpty = { error: `is empty; expected ${what}`, abort: true };
  return z.string({ error: expected(what) }).min(1, isEmpty);
}

function isNot(what: string): (issue: Issue) => string {
  return ({ input }) => `${input} is not ${what}`;
}

export function outOfRange(range: string): (issue: Issue) => string {
  return ({ input }) => `${input} is out of range; expected ${range}`;
}

export function positive(what: string) {
  return z.number({ error: expected(what) }).gt(0, { error: isNot(what) });
}

export function nonNegative(what: string) {
  return z.number({ error: expected(what) }).gte(0, { error: isNot(what) });
}

export function wholeNumber(what: string) {
  return z.int({ error: expected(what) }).gte(0, { error: isNot(what) });
}

const SHARE = "a share between 0 and 1";

export const share = z
  .number({ error: expected(SHARE) })
  .gte(0, { error: isNot(SHARE) })
  .lte(1, { error: isNot(SHARE) });

/** Milliseconds, written as a duration. */
export const duration = z
  .string({ error: expected(DURATION_FORM) })
  .meta({ pattern: DURATION_PATTERN.source, examples: ["500ms", "2s", "5m", "1h"] })
  .transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== null) return ms;
    context.addIssue({ code: "custom", message: `"${cut(value)}" is not ${DURATION_FORM}` });
    return z.NEVER;
  });

/** The same without 0: a canary that is due all the time, a pace that never comes round. */
export function aboveZero<Field extends z.ZodType<number>>(field: Field): Field {
  return field.refine((value) => value > 0 && Number.isFinite(value), {
    error: outOfRange("more than 0"),
  });
}

/** An address of HTTP without anything that could be a secret. `null` when there is no problem. */
function urlProblem(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    const shown = `${shownAddress(value)} is no URL of http or https`.trimStart();
    return `${shown}; expected one such as https://api.example.com`;
  }
  if (url.username !== "" || url.password !== "") {
    return "carries a user name or password; expected an address without, keys go to keys";
  }
  if (url.search !== "" || url.hash !== "") {
    return "carries a query or fragment; expected an address without";
  }
  return null;
}

export const httpUrl = z
  .string({ error: expected("a URL such as https://api.example.com") })
  .meta({ pattern: "^https?://", examples: ["https://api.example.com"] })
  .transform((value, context) => {
    const message = urlProblem(value);
    if (message === null) return value.replace(/\/+$/, "");
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

function cut(value: string): string {
  return value.length > SHOWN_CHARS_MAX ? `${value.slice(0, SHOWN_CHARS_MAX)}…` : value;
}
