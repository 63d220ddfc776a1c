/** What a gate run is given, and what it tells while it goes on. */

import type { Price } from "../contract/limits/budget.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import type { Finding } from "../contract/verdict.ts";
import type { RemoteWrite } from "../runner/remote-write.ts";

/** A scenario as the gate sees it: a name, a file for k6, and the promises that it judges. */
export interface GateScenario {
  name: string;
  /** Absolute path. */
  script: string;
  promises: readonly PromiseId[];
  /** Jobs that it submits where nothing bounds it; a load says by itself how many. */
  jobs: number;
}

/** Jobs of a whole run. */
export interface JobsPlanned {
  /** About so many, where nothing is asked a second time. */
  expected: number;
  /** Never more, whatever is asked a second time. */
  most: number;
}

export interface GateOptions {
  target: Target;
  secrets: Secrets;
  profile: RunPlan["profile"];
  /** Promises asked for; null asks for all. */
  only: readonly PromiseId[] | null;
  /** Of groups that were asked for: judged only when asked for by id; left out: none. */
  leftOut?: readonly PromiseId[];
  seed: number;
  /** k6's own outputs go to its folder `k6`. */
  outputDir: string;
  k6: { path: string; version: string };
  scenarios: readonly GateScenario[];
  /** Tries this machine before a load of a high rate; left out: it is not tried. */
  machine?: GateScenario;
  signal: AbortSignal;
  /** Where k6's metrics go as well; left out: nowhere. */
  remoteWrite?: RemoteWrite | null;
  onProgress: (event: GateEvent) => void;
  /** What a job of the success part costs, as far as the catalogue tells; left out: nothing. */
  price?: Price;
  /** Told once, before the first scenario: how many jobs, and what one of them costs. */
  onPlanned: (jobs: JobsPlanned, price: Price) => void;
}

export type GateEvent =
  | { type: "run-started"; run: string }
  | { type: "progress"; run: string; text: string }
  | { type: "finding"; run: string; finding: Finding }
  | { type: "run-ended"; run: string; outcome: RunOutcome; seconds: number };

/** Closed set of how a run can end; only `ended` lets its findings be kept. */
export type RunOutcome = "ended" | "crashed" | "timed-out" | "interrupted" | "called-off";
