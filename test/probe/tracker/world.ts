/** A service as it truly is, drawn by chance: what each job does when, and what it tells of it. */

import type { State } from "../../../contract/states.ts";
import { isTerminal } from "../../../contract/states.ts";
import type { Stamps } from "../../../contract/timeline/observation.ts";
import { NO_STAMPS, stamped } from "../../../contract/timeline/observation.ts";
import type { Random } from "./random.ts";
import { normal } from "./random.ts";

/** A job's true states with the times of their entry, on the true clock. */
export type History = readonly { state: State; atMs: number }[];

export interface World {
  variant: "A" | "B";
  /** Times at which the service's clock is set, and by how much. */
  steps: readonly { atMs: number; byMs: number }[];
  /** How far behind the truth its answers are; 0 unless it is broken. */
  staleMs: number;
  /** How long a request is under way at the most, when nothing is wrong. */
  latencyMs: number;
  /** Draws the states of a job that reaches the service at that time. */
  newJob(atMs: number): History;
  /** What the service states of its times at that moment. */
  stampsAt(history: History, atMs: number): Stamps;
  /** An instant as the service would write it down. */
  stampOf(atMs: number): NonNullable<Stamps["created"]>;
}

export function newWorld(random: Random, staleMs: number): World {
  const variant = random() < 0.5 ? "A" : "B";
  const states = random() < 0.7;
  const clock = newClock(random);
  const digits = pick(random, [3, 3, 3, 0, 6]);
  const stampOf = (atMs: number) => {
    const unitMs = 1_000 / 10 ** digits;
    const ms = Math.floor(clock.at(atMs) / unitMs) * unitMs;
    return stamped({ ms, fractionDigits: digits }) ?? { lowMs: ms, highMs: ms };
  };
  const stampsAt = (history: History, atMs: number): Stamps => {
    if (!states) return NO_STAMPS;
    const entered = (is: (state: State) => boolean) => {
      const entry = history.find(({ state, atMs: sinceMs }) => is(state) && sinceMs <= atMs);
      return entry === undefined ? null : stampOf(entry.atMs);
    };
    return {
      created: entered((state) => state === "queued"),
      started: entered((state) => state === "running"),
      finished: entered(isTerminal),
    };
  };
  const meanMs = 500 + random() * 20_000;
  const variation = pick(random, [0, 0.02, 0.1, 0.5]);
  const newJob = (atMs: number) => drawJob(random, variant, atMs, { meanMs, variation });
  const latencyMs = pick(random, [2, 20, 150]);
  return { variant, steps: clock.steps, staleMs, latencyMs, newJob, stampsAt, stampOf };
}

/** A clock with an offset and a drift, which is set now and then. */
function newClock(random: Random) {
  const offsetMs = (random() - 0.5) * 1e7;
  const drift = (random() - 0.5) * 3e-4;
  const count = random() < 0.3 ? 1 + Math.floor(random() * 3) : 0;
  const steps = Array.from({ length: count }, () => ({
    atMs: random() * 400_000,
    byMs: (random() < 0.5 ? -1 : 1) * (1_500 + random() * 1e6),
  }));
  const at = (ms: number) => {
    const set = steps.filter((step) => step.atMs <= ms).reduce((sum, { byMs }) => sum + byMs, 0);
    return 1.7e12 + ms * (1 + drift) + offsetMs + set;
  };
  return { at, steps };
}

function drawJob(
  random: Random,
  variant: "A" | "B",
  atMs: number,
  { meanMs, variation }: { meanMs: number; variation: number },
): History {
  const queued = { state: "queued", atMs } as const;
  const waitMs = random() * pick(random, [5, 500, 5_000]);
  if (random() < 0.05) return [queued, { state: "cancelled", atMs: atMs + waitMs }];
  const starts = variant === "B" && random() < 0.8;
  const startMs = starts ? random() * pick(random, [5, 1_000]) : 0;
  const runMs = Math.max(1, meanMs * (1 + variation * normal(random)));
  const runsAtMs = atMs + waitMs + startMs;
  const running = { state: "running", atMs: runsAtMs } as const;
  const starting = starts ? [{ state: "starting", atMs: atMs + waitMs } as const] : [];
  // Some jobs never end.
  if (random() < 0.03) return [queued, ...starting, running];
  const state = pick<State>(random, ["completed", "failed", "timeout"]);
  return [queued, ...starting, running, { state, atMs: runsAtMs + runMs }];
}

export function stateAt(history: History, atMs: number): State {
  return history.findLast((entry) => entry.atMs <= atMs)?.state ?? "queued";
}

export function pick<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}
