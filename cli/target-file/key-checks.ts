/**
 * Checks of keys that go beyond the shape of one field: plans, duplicates, the environment. They
 * read the file's raw value, so that they speak even where the shape is wrong elsewhere.
 */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import type { Environment } from "../../runner/executables.ts";
import type { FileProblem } from "./location.ts";

/** How variables of the environment are called. Source: POSIX.1, "Name". */
export const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Words in capitals. Whatever else is no variable's name may be the secret, put where its name
 * belongs, and is shown to nobody. POSIX.1, section 8.1.
 */
export function isUsualName(text: string): boolean {
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(text) && text.split("_").every(isWord);
}

/** Ours: longer ones, and those of more digits, are no words that somebody chose. */
const WORD_CHARS_MAX = 14;
const WORD_DIGITS_MAX = 4;

function isWord(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  return text.length <= WORD_CHARS_MAX && digits.length <= WORD_DIGITS_MAX;
}

/** Characters of a header's value that survive every proxy. RFC 9110 §5.5, without spaces. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

export function checkKeys(file: unknown, environment: Environment | null): FileProblem[] {
  const keys = isObject(file) && Array.isArray(file.keys) ? (file.keys as unknown[]) : [];
  const each = keys.flatMap((key, index) => {
    if (!isObject(key)) return [];
    return [...planProblems(key, index), ...valueProblems(key, index, environment)];
  });
  return [...each, ...duplicates(keys, environment), ...activeProblem(keys)];
}

function planProblems(key: JsonObject, index: number): FileProblem[] {
  const limits = ["sustained", "burst"].filter((name) => key[name] !== undefined);
  const path = ["keys", index] as const;
  if (key.plan === "enterprise") {
    return ["sustained", "burst"]
      .filter((name) => key[name] === undefined)
      .map((name) => ({ path, message: `plan enterprise is custom; expected ${name} beside it` }));
  }
  if (key.plan !== undefined && key.plan !== "free" && key.plan !== "pro") return [];
  const plan = key.plan === undefined ? "a key without a plan" : `plan ${key.plan}`;
  return limits.map((name) => ({
    path: [...path, name],
    message: `${plan} takes no ${name}; expected it beside plan: enterprise only`,
  }));
}

function valueProblems(
  key: JsonObject,
  index: number,
  environment: Environment | null,
): FileProblem[] {
  if (typeof key.env !== "string") return [];
  const owner = typeof key.name === "string" ? `the key "${key.name}"` : `keys[${index}]`;
  const message = secretProblem(key.env, owner, environment);
  return message === null ? [] : [{ path: ["keys", index, "env"], message }];
}

/** What is wrong with a secret in the environment; names the variable, never shows its value. */
export function secretProblem(
  name: string,
  owner: string,
  environment: Environment | null,
): string | null {
  // A text that is no variable's name may be the secret itself; the schema refuses it unseen.
  if (!ENVIRONMENT_NAME.test(name)) return null;
  if (environment === null) return null;
  const value = environment[name];
  if (value === undefined || value === "") {
    if (!isUsualName(name)) {
      return `names no environment variable with a value; expected the one with that of ${owner}`;
    }
    const state = value === undefined ? "is not set" : "is empty";
    return `environment variable ${name} ${state}; expected the value of ${owner}`;
  }
  if (HEADER_VALUE.test(value)) return null;
  return (
    `environment variable ${name} holds a space, a line break or a character beyond ASCII; ` +
    `expected the value of ${owner} alone`
  );
}

/** Two names for one key would make the suite judge a key's isolation from itself. */
function duplicates(keys: readonly unknown[], environment: Environment | null): FileProblem[] {
  const problems: FileProblem[] = [];
  const firsts = { name: new Map<string, number>(), env: new Map<string, number>() };
  const values = new Map<string, string>();
  keys.forEach((key, index) => {
    if (!isObject(key)) return;
    for (const field of ["name", "env"] as const) {
      const text = key[field];
      if (typeof text !== "string") continue;
      const first = firsts[field].get(text);
      if (first === undefined) firsts[field].set(text, index);
      else problems.push(duplicate(field, text, index, first));
    }
    const { env } = key;
    const value = typeof env === "string" ? environment?.[env] : undefined;
    if (typeof env !== "string" || value === undefined || value === "") return;
    const other = values.get(value);
    if (other === undefined) values.set(value, env);
    else if (other !== env) {
      const message = `${env} has the same value as ${other}; expected a key of its own`;
      problems.push({ path: ["keys", index, "env"], message });
    }
  });
  return problems;
}

function duplicate(field: "name" | "env", text: string, index: number, first: number) {
  const shown = field === "name" ? `"${text}"` : "this variable";
  const other = field === "name" ? "another name" : "another variable";
  const message = `${shown} is that of keys[${first}] already; expected ${other}`;
  return { path: ["keys", index, field], message };
}

function activeProblem(keys: readonly unknown[]): FileProblem[] {
  const active = keys.some((key) => {
    return isObject(key) && (key.state === undefined || key.state === "active");
  });
  if (active || keys.length === 0) return [];
  return [{ path: ["keys"], message: "no key is active; expected at least one" }];
}
