/** From what one scenario observed to its judgement: the same in k6 and in Node. */

import { mergeObservations } from "../merge-observations.ts";
import type { Observation } from "../observation.ts";
import { valuesOf } from "../observation.ts";
import type { PromiseId } from "../promises.ts";
import type { RunPlan } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";
import { inconclusive, unobserved } from "../verdict.ts";
import type { Judgement, ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";
import { judgeRateLimit } from "./rate-limit.ts";
import { judgeTimeout } from "./timeout.ts";
import { judgeWebhook } from "./webhook.ts";

/** By the scenario's name. One that is not here hands out findings of its own. */
const SCENARIO_JUDGES: ReadonlyMap<string, ScenarioJudge> = new Map([
  ["rate-limit", judgeRateLimit],
  ["webhook", judgeWebhook],
  ["timeout", judgeTimeout],
]);

/** What a scenario left beside its observations. */
export interface Judged {
  scenario: string;
  plan: RunPlan;
  /** The promises that it registered. */
  asked: readonly PromiseId[];
  /** Promises on which it handed out findings of its own. */
  found: ReadonlySet<PromiseId>;
}

/** Findings on promises that the plan does not ask for are dropped. */
export function judgeRun(observed: readonly Observation[], run: Judged): Judgement {
  const observations = mergeObservations(observed);
  const failures = reasonsOf(valuesOf(observations, "failure"));
  if (failures !== null) return judgeFailure(failures, run);
  const seen = observations.filter(({ kind }) => kind !== "nothing");
  const nothing = reasonsOf(valuesOf(observations, "nothing"));
  if (seen.length === 0) {
    if (nothing === null) return NO_JUDGEMENT;
    if (run.asked.length === 0) return { ...NO_JUDGEMENT, notes: [nothing] };
    return { ...NO_JUDGEMENT, findings: run.asked.map((id) => unobserved(id, nothing)) };
  }
  const judge = SCENARIO_JUDGES.get(run.scenario);
  if (judge === undefined) throw new Error(`nothing judges the scenario "${run.scenario}"`);
  const judgement = judge(seen, run.plan);
  const isAsked = ({ promise }: Finding) => run.plan.promises.includes(promise);
  return { ...judgement, findings: judgement.findings.filter(isAsked) };
}

function reasonsOf(all: readonly { reason: string }[]): string | null {
  return all.length === 0 ? null : [...new Set(all.map(({ reason }) => reason))].join("; ");
}

/** Every promise without a finding becomes inconclusive; where none is judged, a note tells. */
function judgeFailure(reason: string, { asked, found }: Judged): Judgement {
  if (asked.length === 0) return { ...NO_JUDGEMENT, notes: [reason] };
  const open = asked.filter((id) => !found.has(id));
  return { ...NO_JUDGEMENT, findings: open.map((id) => inconclusive(id, reason)) };
}
