/** How much the service has to do at present; for faults that grow with the load. */

import type { Clock } from "../../contract/time/clock.ts";
import type { Hooks } from "../hooks.ts";
import type { FaultScene } from "./fault.ts";

/** Ours: a service that takes 20 submissions a second is busy, as the embedded target offers it. */
const BUSY = { withinMs: 5_000, submissions: 100 };

export interface Load {
  /** One more submission. */
  add(): void;
  /** From 0, idle, to 1, busy; queues grow faster than the load, so it is its square. */
  strain(): number;
}

export function loadOf(clock: Clock): Load {
  const times: number[] = [];
  return {
    add() {
      times.push(clock.nowMs());
    },
    strain() {
      const sinceMs = clock.nowMs() - BUSY.withinMs;
      while (times.length > 0 && (times[0] ?? sinceMs) < sinceMs) times.shift();
      return Math.min(1, times.length / BUSY.submissions) ** 2;
    },
  };
}

/** Hooks that bend 1 decision in `oneOf` of a busy service; to ask is to submit once more. */
export function whenBusy(oneOf: number, hooks: (isHit: () => boolean) => Partial<Hooks>) {
  return ({ clock, random }: FaultScene): Partial<Hooks> => {
    const load = loadOf(clock);
    return hooks(() => {
      load.add();
      return random() * oneOf < load.strain();
    });
  };
}
