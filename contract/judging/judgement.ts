/** What judges make of the observations of one scenario. */

import type { Observation } from "../run/observation.ts";
import type { RunPlan } from "../run/run-plan.ts";
import type { SeriesEntry } from "../run/series.ts";
import type { Finding, Json } from "../verdict.ts";

export interface Judgement {
  findings: readonly Finding[];
  /** Figures, each with the group that it belongs to. */
  measurements: readonly { group: string; value: Json }[];
  series: readonly SeriesEntry[];
  notes: readonly string[];
}

/** Pure: the same observations under the same plan give the same judgement, wherever it runs. */
export type ScenarioJudge = (observations: readonly Observation[], plan: RunPlan) => Judgement;

export const NO_JUDGEMENT: Judgement = { findings: [], measurements: [], series: [], notes: [] };
