/** What the user can put right: told in full, all of it at once, without a stack. */

export type UsageCode =
  | "invalid-option"
  | "invalid-target-file"
  | "unreadable-file"
  | "invalid-report"
  | "invalid-target"
  | "stale-dashboards"
  | "incomplete-machine";

export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: UsageCode;
  /** One sentence each: what, which value, what was expected. */
  readonly problems: readonly string[];

  constructor(code: UsageCode, problems: readonly string[]) {
    super(problems.join("\n"));
    this.code = code;
    this.problems = problems;
  }
}
