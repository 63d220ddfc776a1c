/**
 * Of many cases that are alike each commit tries some, drawn by its hash: in time all are, and
 * `npm run test:all` tries all at once.
 */

import type { StdioOptions } from "node:child_process";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { ROOT } from "../runner/package-root.ts";
import { ALL_CASES_VARIABLE } from "../tools/check-environment.ts";

/** Outside of git, as in an unpacked archive, always the same cases are drawn. */
const OUTSIDE_GIT = "outside of git";

let known: string | null = null;

/** The text that this checkout's draws come from: its commit. */
export function commitText(): string {
  known ??= askForCommit();
  return known;
}

function askForCommit(): string {
  try {
    const quiet = ["ignore", "pipe", "ignore"] satisfies StdioOptions;
    const options = { cwd: ROOT, encoding: "utf8", stdio: quiet } as const;
    return execFileSync("git", ["rev-parse", "HEAD"], options).trim();
  } catch {
    return OUTSIDE_GIT;
  }
}

/** Which of several names a text draws first: the one of the least rank. */
export function rankOf(text: string, name: string): string {
  return createHash("sha256").update(`${text} ${name}`).digest("hex");
}

/** A share of one in so many, at the least one, in the order that they have; `what` names them. */
export function drawnCases<Case>(
  what: string,
  cases: readonly Case[],
  oneIn: number,
): readonly Case[] {
  if (process.env[ALL_CASES_VARIABLE] !== undefined) return cases;
  return drawnBy(commitText(), what, cases, oneIn);
}

/** As `drawnCases`, by any text. */
export function drawnBy<Case>(
  text: string,
  what: string,
  cases: readonly Case[],
  oneIn: number,
): readonly Case[] {
  const ranks = cases.map((_, at) => rankOf(text, `${what} ${at}`));
  const last = ranks.toSorted()[Math.ceil(cases.length / oneIn) - 1] ?? "";
  return cases.filter((_, at) => (ranks[at] ?? "") <= last);
}
