/** Holds an input against a worker's schema. */

import type { Schema } from "./catalogue.ts";
import type { House } from "./ports.ts";
import type { Trouble } from "./trouble.ts";

export interface Complaint {
  path: string;
  what: string;
  isMissing: boolean;
}

export class SchemaCheck {
  private readonly trouble: Trouble;
  private readonly isStrict: boolean;
  private readonly coercion: House["picks"]["coercion"];

  constructor({ trouble, picks }: Pick<House, "trouble" | "picks">) {
    this.trouble = trouble;
    this.isStrict = picks.strictInput === "yes";
    this.coercion = picks.coercion;
  }

  complaints(value: unknown, schema: Schema, path = ""): Complaint[] {
    if (!this.hasType(value, schema.type)) {
      return [{ path, what: `is no ${String(schema.type)}`, isMissing: false }];
    }
    if (schema.enum !== undefined && !this.isMember(value, schema.enum)) {
      return [{ path, what: `is none of ${schema.enum.join(", ")}`, isMissing: false }];
    }
    if (typeof value === "string") return this.ofText(value, schema, path);
    if (typeof value === "number") return this.ofNumber(value, schema, path);
    if (Array.isArray(value)) return this.ofArray(value, schema, path);
    if (isObject(value)) return this.ofObject(value, schema, path);
    return [];
  }

  private hasType(value: unknown, type: Schema["type"]): boolean {
    if (typeof type !== "string") {
      const isLet = this.trouble.has("optional-fields-unchecked");
      return isLet || type.some((each) => this.hasType(value, each));
    }
    if (type === "null") return value === null;
    if (type === "array") return Array.isArray(value);
    if (type === "object") return isObject(value);
    if (type !== "integer" && type !== "number") {
      return typeof value === type || (type === "string" && this.isStringable(value));
    }
    const { trouble } = this;
    if (this.coercion === "numbers" && typeof value === "string") {
      return value !== "" && Number.isFinite(Number(value));
    }
    if (typeof value !== "number") return false;
    return type === "number" || Number.isInteger(value) || trouble.has("fractions-for-integers");
  }

  private isStringable(value: unknown): boolean {
    return this.coercion === "texts" && typeof value === "number";
  }

  private isMember(value: unknown, members: readonly string[]): boolean {
    if (members.includes(String(value))) return true;
    if (this.trouble.has("enum-looked-up-in-object") && String(value) in {}) return true;
    return this.trouble.has("enum-not-checked") && typeof value === "string";
  }

  private ofText(
    value: string,
    { minLength, maxLength, pattern }: Schema,
    path: string,
  ): Complaint[] {
    if (pattern !== undefined && !this.matches(value, pattern)) {
      return [{ path, what: `does not match ${pattern}`, isMissing: false }];
    }
    const isShort = minLength !== undefined && value.length < minLength;
    const isLong = maxLength !== undefined && value.length > maxLength;
    const isLet = this.trouble.has("lengths-not-checked");
    return (isShort || isLong) && !isLet
      ? [{ path, what: "has no such length", isMissing: false }]
      : [];
  }

  private matches(value: string, pattern: string): boolean {
    const isSearched = this.trouble.has("patterns-searched-for");
    const searched = isSearched ? pattern.replace(/^\^|\$$/g, "") : pattern;
    const flags = this.trouble.has("patterns-by-line") ? "um" : "u";
    return new RegExp(searched, flags).test(value);
  }

  private ofNumber(value: number, { minimum, maximum }: Schema, path: string): Complaint[] {
    const slack = this.trouble.has("maximum-off-by-one") ? 1 : 0;
    const isLow = minimum !== undefined && value < minimum && !this.trouble.has("minimum-ignored");
    const isHigh = maximum !== undefined && value > maximum + slack;
    return isLow || isHigh ? [{ path, what: "is out of bounds", isMissing: false }] : [];
  }

  private ofArray(value: readonly unknown[], schema: Schema, path: string): Complaint[] {
    const { items, maxItems } = schema;
    if (maxItems !== undefined && value.length > maxItems) {
      return [{ path, what: "has too many items", isMissing: false }];
    }
    if (items === undefined || this.trouble.has("items-not-checked")) return [];
    return value.flatMap((item, index) => this.complaints(item, items, `${path}/${index}`));
  }

  private ofObject(
    value: Readonly<Record<string, unknown>>,
    { properties = {}, required = [] }: Schema,
    path: string,
  ): Complaint[] {
    if (path !== "" && this.trouble.has("nested-not-checked")) return [];
    const missing = required
      .filter((name) => value[name] === undefined)
      .map((name) => ({ path: `${path}/${name}`, what: "is required", isMissing: true }));
    const wrong = Object.entries(value).flatMap(([name, field]) => {
      const schema = properties[name];
      const where = `${path}/${name}`;
      if (schema !== undefined) return this.complaints(field, schema, where);
      return this.isStrict ? [{ path: where, what: "is not known", isMissing: false }] : [];
    });
    return [...missing, ...wrong];
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a schema says by another keyword than `required`, too, that its input is not empty. */
export function takesLeast({ required = [] }: Schema, { picks }: House): boolean {
  return picks.leastFields === "one" && required.length > 0;
}
