/** All that a search has gathered so far. */

import type { CapacityBound, CapacityStep } from "../contract/capacity.ts";
import type { Variant } from "../contract/states.ts";
import type { Spent } from "./run-step.ts";
import type { Attempt, SearchEnd } from "./search.ts";

export interface Search {
  startedAtMs: number;
  steps: CapacityStep[];
  attempts: Attempt[];
  spent: Spent;
  variant: Variant | null;
  notes: string[];
  /** How it ended; null while it goes on, or when it was interrupted. */
  end: SearchEnd | "time" | "budget" | "untold" | null;
  /** The highest rate that it may go to, and what sets it. */
  ceiling: { rate: number; bound: Extract<CapacityBound, "plan" | "max-rate"> };
}

export function newSearch(ceiling: Search["ceiling"]): Search {
  return {
    startedAtMs: Date.now(),
    steps: [],
    attempts: [],
    spent: { jobs: 0, credits: 0, usd: 0 },
    variant: null,
    notes: [],
    end: null,
    ceiling,
  };
}
