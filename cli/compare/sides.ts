/** Opens the sides of a comparison: targets that answer, keys that may submit, budgets. */

import type { Subject } from "../../capacity/compare/side.ts";
import { subjectOf } from "../../capacity/compare/side.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import type { Context } from "../context.ts";
import { needsBudget } from "../gate/budget-line.ts";
import { checkTarget } from "../subject/check-target.ts";
import type { GateSubject } from "../subject/subject.ts";
import { openSubject } from "../subject/subject.ts";
import { UsageError } from "../usage-error.ts";
import type { SideChoice } from "./request.ts";

export interface OpenedSide extends AsyncDisposable {
  label: string;
  subject: Subject;
  secrets: GateSubject["secrets"];
}

/** Throws UsageError or PreflightError where there is no point in starting. */
export async function openSide(
  name: Subject["name"],
  { label, choice }: SideChoice,
  { environment, signal }: Context,
): Promise<OpenedSide> {
  const opened = await openSubject(choice, environment);
  try {
    const { target, secrets } = opened;
    const subject = subjectOf(name, target, secrets);
    if (typeof subject === "string") throw new UsageError("invalid-target-file", [subject]);
    needsBudget(`${label}: compare`, target);
    await checkTarget({ target, secrets, signal });
    const close = () => opened[Symbol.asyncDispose]();
    return { label, subject, secrets, [Symbol.asyncDispose]: close };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** What each side may cost; of one target on both sides, half each. */
export function budgetsOf(base: OpenedSide, candidate: OpenedSide) {
  const isOne = base.subject.target.baseUrl === candidate.subject.target.baseUrl;
  const share = isOne ? 0.5 : 1;
  const of = ({ subject }: OpenedSide): Budget | null => {
    const { budget } = subject.target;
    const part = (amount: number | null) => (amount === null ? null : amount * share);
    if (budget === null) return null;
    return { jobs: part(budget.jobs), credits: part(budget.credits), usd: part(budget.usd) };
  };
  return { base: of(base), candidate: of(candidate) };
}
