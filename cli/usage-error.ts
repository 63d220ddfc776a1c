/** What the user can put right: told in full, all of it at once, without a stack. */

import { cut, oneLine } from "../report/text.ts";

export type UsageCode =
  | "invalid-option"
  | "invalid-target-file"
  | "unreadable-file"
  | "invalid-file"
  | "unlike-runs"
  | "invalid-report"
  | "invalid-target"
  | "stale-dashboards"
  | "incomplete-machine";

/** Ours: as many as one reads; the first of them cause most of the others. */
const PROBLEMS_MAX = 50;
/** Ours: a list of names fits; a value that somebody pasted by mistake does not. */
const PROBLEM_CHARS_MAX = 1_000;

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: UsageCode;
  /** A line each, of a bounded length: what, which value, what was expected. */
  readonly problems: readonly string[];

  constructor(code: UsageCode, problems: readonly string[], options?: ErrorOptions) {
    const told = problems
      .slice(0, PROBLEMS_MAX)
      .map((each) => cut(oneLine(each), PROBLEM_CHARS_MAX));
    const more = problems.length - told.length;
    if (more > 0) told.push(`and ${more} more problems like these`);
    super(told.join("\n"), options);
    this.code = code;
    this.problems = told;
  }
}
