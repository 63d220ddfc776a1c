/** Reads option values; what is wrong is collected, so that all of it is told at once. */

import { randomInt } from "node:crypto";

import type { PromiseId } from "../contract/promises.ts";
import { isPromiseId, PROMISE_GROUPS, PROMISE_IDS } from "../contract/promises.ts";
import type { RunPlan } from "../contract/run-plan.ts";
import type { Variant } from "../contract/states.ts";
import { askedFor } from "../scenarios/catalogue.ts";
import { hint } from "./nearest.ts";
import { UsageError } from "./usage-error.ts";

/** Ours: fits every seeded generator in use, and is short enough to be typed again. */
const SEED_MAX = 2 ** 31 - 1;

const PROFILES = ["quick", "standard", "soak"] as const satisfies readonly RunPlan["profile"][];
const VARIANTS: Readonly<Record<string, Variant>> = { a: "A", b: "B" };

export interface Only {
  /** null: all promises. */
  only: readonly PromiseId[] | null;
  /** Of groups that were named: judged only when they are named by id. */
  leftOut: readonly PromiseId[];
}

export class OptionReader {
  readonly #problems: string[] = [];

  profile(text: string): RunPlan["profile"] {
    return this.oneOf("--profile", text, PROFILES) ?? "quick";
  }

  variant(text: string): Variant {
    const variant = VARIANTS[text.toLowerCase()];
    if (variant === undefined) {
      this.problem(`--variant: unknown variant "${text}"; expected one of: a, b`);
    }
    return variant ?? "B";
  }

  /** A whole number, or one drawn by lot. */
  seed(text: string | undefined): number {
    return text === undefined ? randomInt(SEED_MAX) : this.wholeNumber("--seed", text, SEED_MAX);
  }

  wholeNumber(option: string, text: string, max: number): number {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value <= max) return value;
    this.problem(`${option}: "${text}" is not possible; expected a whole number from 0 to ${max}`);
    return 0;
  }

  /** Ours: nobody means more, and counters hold it. */
  atLeastOne(option: string, text: string): number {
    const value = this.wholeNumber(option, text, 1_000_000);
    if (value === 0 && /^0+$/.test(text)) {
      this.problem(`${option}: "${text}" is not possible; expected a whole number of at least 1`);
    }
    return Math.max(1, value);
  }

  timeScale(text: string): number {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value > 0 && value <= 1) return value;
    const problem = `"${text}" is not possible; expected a number above 0 and up to 1`;
    this.problem(`--time-scale: ${problem}`);
    return 1;
  }

  /** Ids and groups, comma separated; `only` is null where the option was not given. */
  only(text: string | undefined): Only {
    if (text === undefined) return { only: null, leftOut: [] };
    const names = text.split(",").map((name) => name.trim());
    const ids = names.filter(isPromiseId);
    const groups = PROMISE_GROUPS.filter((group) => names.includes(group));
    for (const name of names) {
      if (isPromiseId(name) || groups.some((group) => group === name)) continue;
      const near = hint(name, [...PROMISE_GROUPS, ...PROMISE_IDS]);
      const expected = `an id of "plumbline promises" or one of: ${PROMISE_GROUPS.join(", ")}`;
      this.problem(`--only: unknown promise or group "${name}"${near}; expected ${expected}`);
    }
    const { promises, leftOut } = askedFor(ids, groups);
    return { only: promises, leftOut };
  }

  /** An address without credentials: arguments are seen by everybody on the machine. */
  httpUrl(option: string, text: string | undefined, example: string): string | null {
    if (text === undefined) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) {
      this.problem(`${option}: "${text}" is not possible; expected an address such as ${example}`);
      return null;
    }
    if (url.username !== "" || url.password !== "") {
      const expected = "expected none in it; put them in the environment";
      this.problem(`${option}: the address holds a name or password; ${expected}`);
    }
    return text;
  }

  oneOf<Word extends string>(option: string, text: string, words: readonly Word[]): Word | null {
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    const near = hint(text, words);
    this.problem(`${option}: unknown value "${text}"${near}; expected one of: ${words.join(", ")}`);
    return null;
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  /** Throws UsageError when anything was wrong. */
  finish(): void {
    if (this.#problems.length > 0) throw new UsageError("invalid-option", this.#problems);
  }
}
