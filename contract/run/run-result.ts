/** What a gate run leaves: one finding per promise, figures, notes. Reports are made from it. */

import type { Variant } from "../states.ts";
import type { TargetHead } from "../target.ts";
import type { Finding, Json } from "../verdict.ts";
import type { Budget, RunPlan } from "./run-plan.ts";
import type { RunSeries } from "./series.ts";

export interface RunResult {
  profile: RunPlan["profile"];
  seed: number;
  /** Milliseconds since the epoch. */
  startedAtMs: number;
  finishedAtMs: number;
  /** True when the run was stopped before its end; the findings are then what was seen so far. */
  interrupted: boolean;
  /** It was called off, as the service answered nobody any more; left out: it was not. */
  isUnavailable?: boolean;
  tool: { plumbline: string; k6: string; node: string };
  target: TargetHead & { variant: Variant | null };
  /** One per promise of the catalogue, in its order. */
  findings: readonly Finding[];
  /** Promise ids and groups that `--only` named, resolved to ids; null when all were asked for. */
  only: readonly Finding["promise"][] | null;
  /** Figures by group: rate, webhook, timeout, load. */
  measurements: Readonly<Record<string, readonly Json[]>>;
  /** What was seen over time, for plots. */
  series: RunSeries;
  /** What real services do where the spec leaves it open. Never a verdict. */
  notes: readonly string[];
  budget: { ceiling: Budget | null; planned: Budget; spent: Budget };
}
