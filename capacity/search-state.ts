/** All that a search has gathered so far. */

import { nowMs } from "../clock/system-clock.ts";
import type { Spent } from "../contract/limits/budget.ts";
import { NOTHING_SPENT } from "../contract/limits/budget.ts";
import type { CapacityOrder, StepMeasurement } from "../contract/run/capacity-step.ts";
import type { Variant } from "../contract/states.ts";
import type { CapacityBound, CapacityStep } from "../report/capacity-model.ts";
import type { Admission } from "./admission.ts";
import type { Rhythm } from "./course.ts";
import type { Wait } from "./judge-step.ts";
import type { Crowding } from "./queue-remarks.ts";
import type { Attempt, SearchEnd, SearchPhase } from "./search.ts";

export interface Search {
  startedAtMs: number;
  steps: CapacityStep[];
  attempts: Attempt[];
  /** Failed steps that had nothing to be compared with yet, by their place among the steps. */
  blind: Map<number, BlindStep>;
  /** By how much steps are longer than asked for, since shorter ones were too unsteady. */
  stretch: number;
  /** How much later than jobs ended that was known, at kept rates. */
  newsLagMs: number;
  /** The longest that no job ended, at kept rates and in steps that said nothing for that. */
  standstillMs: number;
  /** What steps told of when it comes again. */
  rhythms: Rhythm[];
  /** Length of steps that may show that; null once it was in vain. */
  soughtMs: number | null;
  wait: Wait;
  /** What the steps of jobs tell of those in flight. */
  crowdings: { outcome: CapacityStep["outcome"]; crowding: Crowding }[];
  /** What they tell of a limiter. */
  admissions: Admission[];
  /** Whether key or credits no longer served at the end of the last step. */
  wasUntaken: boolean;
  spent: Spent;
  variant: Variant | null;
  notes: string[];
  /** Whose limit was met, in a sentence; null where nothing tells. */
  whose: string | null;
  /** How it ended; null while it goes on, or when it was interrupted. */
  end: SearchEnd | "time" | "budget" | "untold" | "errors" | null;
  /** The highest rate that it may go to, and what sets it. */
  ceiling: { rate: number; bound: Extract<CapacityBound, "plan" | "max-rate"> };
}

/** What a step is judged of, again once a rate was kept. */
export interface BlindStep {
  phase: SearchPhase;
  order: CapacityOrder;
  measurement: StepMeasurement;
}

export function newSearch(ceiling: Search["ceiling"]): Search {
  return {
    startedAtMs: nowMs(),
    steps: [],
    attempts: [],
    blind: new Map(),
    stretch: 1,
    newsLagMs: 0,
    standstillMs: 0,
    rhythms: [],
    soughtMs: 0,
    wait: "usual",
    crowdings: [],
    admissions: [],
    wasUntaken: false,
    spent: NOTHING_SPENT,
    variant: null,
    notes: [],
    whose: null,
    end: null,
    ceiling,
  };
}
