/** Reads option values; what is wrong is collected, so that all of it is told at once. */

import type { PromiseId } from "../../contract/promises.ts";
import { isPromiseId, PROMISE_GROUPS, PROMISE_IDS } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Variant } from "../../contract/states.ts";
import type { ListenAddress } from "../../receiver/options.ts";
import { askedFor } from "../../scenarios/catalogue.ts";
import { UsageError } from "../usage-error.ts";
import { DURATION_FORM, parseDuration } from "./duration.ts";
import { LISTEN_FORM, parseListenAddress } from "./listen-address.ts";
import { didYouMean } from "./nearest.ts";
import { shownAddress } from "./shown-address.ts";

/** Ours: fits every seeded generator in use, and is short enough to be typed again. */
const SEED_MAX = 2 ** 31 - 1;

/** Ours: a generator on one machine goes no further. */
const RATE_MAX = 10_000;

export const PROFILES = [
  "quick",
  "standard",
  "soak",
] as const satisfies readonly RunPlan["profile"][];
export const VARIANTS: ReadonlyMap<string, Variant> = new Map([
  ["a", "A"],
  ["b", "B"],
]);

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
    const variant = VARIANTS.get(text.toLowerCase());
    if (variant === undefined) {
      this.problem(`--variant: unknown variant "${text}"; expected one of: a, b`);
    }
    return variant ?? "B";
  }

  /** A whole number, or one drawn by lot. */
  seed(text: string | undefined): number {
    // No secret: what draws those takes a fifth of the processor time that Node itself starts in.
    if (text === undefined) return Math.floor(Math.random() * SEED_MAX);
    return this.wholeNumber("--seed", text, SEED_MAX);
  }

  /** The value; where the text holds none, a problem that says what was expected. */
  possible<Value>(
    option: string,
    text: string,
    value: Value | null,
    expected: string,
    otherwise: Value,
  ): Value {
    if (value === null) this.problem(`${option}: invalid value "${text}"; expected ${expected}`);
    return value ?? otherwise;
  }

  wholeNumber(option: string, text: string, max: number): number {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    const range = `a whole number from 0 to ${max}`;
    return this.possible(option, text, value <= max ? value : null, range, 0);
  }

  /** Ours: nobody means more, and counters hold it. */
  atLeastOne(option: string, text: string): number {
    const isZero = /^0+$/.test(text);
    if (!isZero) return Math.max(1, this.wholeNumber(option, text, 1_000_000));
    return this.possible(option, text, null, "a whole number of at least 1", 1);
  }

  /** A number above 0; `form`: how numbers are written; `what` stands before their range. */
  amount(option: string, text: string, max: number, what: string, form = /\S/): number {
    const value = form.test(text) ? Number(text) : Number.NaN;
    const expected = `${what} above 0 and up to ${max}`;
    return this.possible(option, text, value > 0 && value <= max ? value : null, expected, 0);
  }

  /** A second. */
  rate(option: string, text: string): number {
    return this.amount(option, text, RATE_MAX, "a number a second", /^\d*\.?\d+$/);
  }

  timeScale(text: string): number {
    return this.amount("--time-scale", text, 1, "a number");
  }

  /** Milliseconds; `range` stands behind the form of a duration, in its own unit. */
  duration(option: string, text: string, min = 0, max = Number.POSITIVE_INFINITY, range = "") {
    const ms = parseDuration(text);
    const isIn = ms !== null && ms >= min && ms <= max;
    return this.possible(option, text, isIn ? ms : null, `${DURATION_FORM}${range}`, min);
  }

  listenAddress(option: string, text: string, expected: string = LISTEN_FORM): ListenAddress {
    const address = parseListenAddress(text);
    if (address === null) {
      this.problem(`${option}: "${text}" is not an address; expected ${expected}`);
    }
    return address ?? { host: "127.0.0.1", port: 0 };
  }

  /** Ids and groups, comma separated; `only` is null where the option was not given. */
  only(text: string | undefined): Only {
    if (text === undefined) return { only: null, leftOut: [] };
    const names = text.split(",").map((name) => name.trim());
    const ids = names.filter(isPromiseId);
    const groups = PROMISE_GROUPS.filter((group) => names.includes(group));
    for (const name of names) {
      if (isPromiseId(name) || groups.some((group) => group === name)) continue;
      const near = didYouMean(name, [...PROMISE_GROUPS, ...PROMISE_IDS]);
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
      const value = `invalid value${shownAddress(text)}${addressHint(text)}`;
      this.problem(`${option}: ${value}; expected an address such as ${example}`);
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
    const near = didYouMean(text, words);
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

/** ` (did you mean "http://127.0.0.1:8080"?)` for an address without its scheme, or nothing. */
function addressHint(text: string): string {
  if (parseListenAddress(text) !== null) return ` (did you mean "http://${text}"?)`;
  return /^[\w-]+(\.[\w-]+)+$/.test(text) ? ` (did you mean "https://${text}"?)` : "";
}
