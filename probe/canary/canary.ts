/** The canaries of a target: what each submits, how often, and what is expected of it. */

import type { Part, WorkerPart } from "../../contract/run/run-plan.ts";
import { ENDS_BY_PART, PARTS } from "../../contract/run/run-plan.ts";
import type { EndState } from "../../contract/states.ts";
import type { CanaryPlan, Target } from "../../contract/target.ts";

export interface Canary {
  name: string;
  part: Part;
  workerId: string;
  input: WorkerPart["input"];
  /** Field of the input that may carry a run's mark; null where there is none. */
  marker: string | null;
  everyMs: number;
  jitterShare: number;
  deadlineMs: number;
  webhook: boolean;
  expected: EndState;
  overlapMax: number;
}

/**
 * Ours: what the jobs of a canary without a name of its own do. `success` is an outcome of its runs
 * as well, and `timeout` and `failure` read like one.
 */
const NAMES: Readonly<Record<Part, string>> = {
  success: "main",
  slow: "long-run",
  timeout: "run-limit",
  failure: "failing-job",
  list: "list-result",
  empty: "empty-result",
  files: "file-result",
};

/** Ours: an outage of the main path shows within a minute, the others within five. */
const EVERY_MS = 60_000;
const SIDE_EVERY_MS = 300_000;
/** Ours: on the embedded service nobody waits a minute to see something happen. */
const EMBEDDED_EVERY_MS = 5_000;
/** Ours: enough to keep probes of several places apart, too little to change the rate. */
const JITTER_SHARE = 0.1;
/** Ours: several times what the example workers take; a target file knows better. */
const DEADLINE_MS = 120_000;
/** Ours: a run may outlive its interval, a pile of them is the trouble itself. */
const OVERLAP_MAX = 3;

/** The canaries that the target file names, or one for each part that it gives a worker. */
export function canariesOf(target: Target): readonly Canary[] {
  const plans = target.canaries ?? defaultPlans(target);
  return plans.flatMap((plan) => {
    const worker = target.workers[plan.part];
    return worker === undefined ? [] : [canaryOf(plan, worker)];
  });
}

function canaryOf(plan: CanaryPlan, worker: WorkerPart): Canary {
  return {
    name: plan.name,
    part: plan.part,
    workerId: worker.id,
    input: worker.input,
    marker: worker.marker ?? null,
    everyMs: plan.everyMs,
    jitterShare: plan.jitterShare ?? JITTER_SHARE,
    deadlineMs: plan.deadlineMs ?? DEADLINE_MS,
    webhook: plan.webhook,
    expected: plan.expect ?? ENDS_BY_PART[plan.part],
    overlapMax: plan.overlapMax ?? OVERLAP_MAX,
  };
}

function defaultPlans(target: Target): readonly CanaryPlan[] {
  const given = PARTS.filter((part) => target.workers[part] !== undefined);
  return given.map((part) => ({
    name: NAMES[part],
    part,
    everyMs: intervalOf(part, target.embedded),
    jitterShare: null,
    deadlineMs: null,
    webhook: target.webhook !== null,
    expect: null,
    overlapMax: null,
  }));
}

function intervalOf(part: Part, embedded: boolean): number {
  if (embedded) return part === "success" ? EMBEDDED_EVERY_MS : EMBEDDED_EVERY_MS * 3;
  return part === "success" ? EVERY_MS : SIDE_EVERY_MS;
}
