/** Reads the flags that shape the embedded service; the names it knows are its own. */

import type { RateLimit } from "../../contract/plans.ts";
import type { Variant } from "../../contract/states.ts";
import { KEY_NAMES } from "../../reference/accounts/keys.ts";
import { WORKERS } from "../../reference/catalogue/workers.ts";
import { CHOICE_NAMES, CHOICES, isChoiceName } from "../../reference/choices.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { didYouMean } from "../values/nearest.ts";
import type { OptionReader } from "../values/option-reader.ts";

/** The faults by these names; an unknown one, or one of the other variant, is a problem. */
export function readFaults(
  options: OptionReader,
  names: readonly string[],
  variant: Variant,
): string[] {
  const known = FAULTS.map(({ name }) => name);
  return names.filter((name) => {
    const fault = FAULTS.find((each) => each.name === name);
    if (fault === undefined) {
      const expected = expectedFault(name, known);
      options.problem(
        `--fault: unknown fault "${name}"${didYouMean(name, known)}; expected ${expected}`,
      );
      return false;
    }
    const variants = fault.variants ?? [variant];
    if (variants.includes(variant)) return true;
    const only = variants.join(", ").toLowerCase();
    options.problem(`--fault: "${name}" exists in one variant only; expected --variant ${only}`);
    return false;
  });
}

/** A promise alone names no fault; there are several ways to break it. */
function expectedFault(name: string, known: readonly string[]): string {
  const ofPromise = known.filter((each) => each.startsWith(`${name.split("/")[0]}/`));
  if (ofPromise.length > 0) return `one of: ${ofPromise.join(", ")}`;
  return 'a name of "plumbline reference --list"';
}

/** Choices written as name=value. */
export function readChoices(
  options: OptionReader,
  texts: readonly string[],
): NonNullable<GivenOptions["choices"]> {
  const pairs = texts.flatMap((text) => {
    const [name = "", ...rest] = text.split("=");
    const value = rest.join("=");
    return isLawful(options, name, value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** Runs of a worker at once, written as worker=number. */
export function readSlots(
  options: OptionReader,
  texts: readonly string[],
): Readonly<Record<string, number>> {
  const ids = WORKERS.map(({ id }) => id);
  const pairs = texts.flatMap((text) => {
    const [worker = "", number = ""] = text.split("=");
    if (ids.includes(worker)) return [[worker, options.atLeastOne("--slots", number)] as const];
    const expected = `expected worker=number with one of: ${ids.join(", ")}`;
    options.problem(`--slots: unknown worker "${worker}"${didYouMean(worker, ids)}; ${expected}`);
    return [];
  });
  return Object.fromEntries(pairs);
}

/** Limits of single keys, written as key=sustained/burst. */
export function readLimits(
  options: OptionReader,
  texts: readonly string[],
): Readonly<Record<string, RateLimit>> {
  const pairs = texts.flatMap((text) => {
    const [, name, sustained, burst] = /^([^=]+)=([^/]*)\/([^/]*)$/.exec(text) ?? [];
    if (sustained !== undefined && burst !== undefined && name && KEY_NAMES.includes(name)) {
      const read = (number: string) => options.atLeastOne("--limit", number);
      return [[name, { sustained: read(sustained), burst: read(burst) }] as const];
    }
    const expected = `expected key=rate/burst with one of: ${KEY_NAMES.join(", ")}`;
    options.problem(`--limit: cannot read "${text}"; ${expected}`);
    return [];
  });
  return Object.fromEntries(pairs);
}

function isLawful(options: OptionReader, name: string, value: string): boolean {
  if (!isChoiceName(name)) {
    const near = didYouMean(name, CHOICE_NAMES);
    const expected = `name=value with one of: ${CHOICE_NAMES.join(", ")}`;
    options.problem(`--choice: unknown choice "${name}"${near}; expected ${expected}`);
    return false;
  }
  const values: readonly string[] = CHOICES[name].values;
  if (values.includes(value)) return true;
  const expected = `one of: ${values.join(", ")}`;
  options.problem(`--choice: ${name} cannot be "${value}"; expected ${expected}`);
  return false;
}
