/** From what one scenario observed to its judgement: the same in k6 and in Node. */

import type { PromiseId } from "../promises.ts";
import { mergeObservations } from "../run/merge-observations.ts";
import type { Observation } from "../run/observation.ts";
import { valuesOf } from "../run/observation.ts";
import type { RunPlan } from "../run/run-plan.ts";
import type { Finding } from "../verdict.ts";
import { inconclusive, unobserved } from "../verdict.ts";
import { judgeContract } from "./contract.ts";
import type { Judgement, ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";
import { judgeRateLimit } from "./rate-limit.ts";
import { judgeSoak } from "./soak.ts";
import { judgeTimeout } from "./timeout.ts";
import { judgeWebhook } from "./webhook.ts";

const SCENARIO_JUDGES: ReadonlyMap<string, ScenarioJudge> = new Map([
  ["contract", judgeContract],
  ["rate-limit", judgeRateLimit],
  ["webhook", judgeWebhook],
  ["timeout", judgeTimeout],
  ["soak", judgeSoak],
]);

/** Scenarios each of whose observations is whole by itself, whatever became of the others. */
const PIECEWISE: readonly string[] = ["contract", "rate-limit", "soak"];

/** Whether what a scenario observed can be judged though it did not finish. */
export function isPiecewise(scenario: string): boolean {
  return PIECEWISE.includes(scenario);
}

/** What a scenario left beside its observations. */
export interface Judged {
  scenario: string;
  plan: RunPlan;
  /** The promises that it registered. */
  asked: readonly PromiseId[];
}

/** Findings on promises that the plan does not ask for are dropped. */
export function judgeRun(observed: readonly Observation[], run: Judged): Judgement {
  const observations = mergeObservations(observed);
  const failures = valuesOf(observations, "failure");
  const seen = observations.filter(({ kind }) => kind !== "nothing" && kind !== "failure");
  const ofAll = reasonOf(failures.filter(({ promises }) => promises === undefined));
  const isWhole = ofAll === null || isPiecewise(run.scenario);
  const judgement = seen.length > 0 && isWhole ? judgementOf(seen, run) : NO_JUDGEMENT;
  const isAsked = (id: PromiseId) => run.plan.promises.includes(id);
  const findings = new Map<PromiseId, Finding>();
  for (const finding of judgement.findings) {
    if (isAsked(finding.promise)) findings.set(finding.promise, finding);
  }
  for (const { reason, promises = [] } of failures) {
    for (const id of promises) if (isAsked(id)) findings.set(id, inconclusive(id, reason));
  }
  const rest = (of: readonly PromiseId[], finding: (id: PromiseId) => Finding) => {
    for (const id of of) if (!findings.has(id) && isAsked(id)) findings.set(id, finding(id));
  };
  if (ofAll !== null) rest(run.asked, (id) => inconclusive(id, ofAll));
  for (const { reason, promises = [] } of valuesOf(observations, "nothing")) {
    rest(promises, (id) => unobserved(id, reason));
  }
  const nothing = nothingAtAll(observations, seen);
  if (nothing !== null) rest(run.asked, (id) => unobserved(id, nothing));
  const why = ofAll ?? nothing;
  const silent = run.asked.length === 0 && why !== null ? [why] : [];
  return { ...judgement, findings: [...findings.values()], notes: [...judgement.notes, ...silent] };
}

function judgementOf(seen: readonly Observation[], { scenario, plan }: Judged): Judgement {
  const judge = SCENARIO_JUDGES.get(scenario);
  if (judge === undefined) throw new Error(`nothing judges the scenario "${scenario}"`);
  return judge(seen, plan);
}

/** Why no promise was looked at; null where one was. */
function nothingAtAll(
  observations: readonly Observation[],
  seen: readonly Observation[],
): string | null {
  if (seen.length > 0) return null;
  return reasonOf(valuesOf(observations, "nothing").filter(({ promises }) => !promises));
}

/** All reasons in one sentence; null without any. */
function reasonOf(all: readonly { reason: string }[]): string | null {
  return all.length === 0 ? null : [...new Set(all.map(({ reason }) => reason))].join("; ");
}
