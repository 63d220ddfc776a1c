/** What a preflight can find wrong: a closed set of codes, each with a message for a person. */

export type PreflightCode =
  | "target-unreachable"
  | "not-the-service"
  | "key-refused"
  | "key-rate-limited"
  | "unknown-worker"
  | "input-refused";

export interface PreflightProblem {
  code: PreflightCode;
  message: string;
}

const AWAY: ReadonlySet<PreflightCode> = new Set<PreflightCode>([
  "target-unreachable",
  "not-the-service",
  "key-rate-limited",
]);

/** True where no change of the configuration's details helps: there is nothing there to judge. */
export function isTargetAway(problem: PreflightProblem): boolean {
  return AWAY.has(problem.code);
}
