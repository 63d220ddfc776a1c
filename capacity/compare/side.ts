/** One side of a comparison: a target, the key that carries the load, and the worker. */

import { activeByRate, UNDECLARED_PER_SECOND } from "../../contract/plans.ts";
import type { PlanKey, WorkerPart } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { Secret, Secrets } from "../../contract/text/secret.ts";
import type { Side as SideName } from "./round.ts";

/**
 * Ours: share of a key's sustained rate that the load may use, so that no lawful limiter refuses
 * it; and the requests of a job that it is shared by: one to submit it, two to follow it.
 */
const RATE_SHARE = 0.6;
const REQUESTS_A_JOB = 3;

export interface Subject {
  name: SideName;
  target: Target;
  key: PlanKey;
  keyValue: Secret;
  worker: WorkerPart;
  /** Requests per second that stay below the key's plan. */
  requestsPerSecond: number;
}

/** The side, or in a sentence why it can't carry a load. */
export function subjectOf(name: SideName, target: Target, secrets: Secrets): Subject | string {
  const worker = target.workers.success;
  if (worker === undefined) return `${name}: workers.success is missing; expected a worker`;
  const [key] = activeByRate(target.keys);
  const keyValue = key === undefined ? undefined : secrets.get(key.env);
  if (key === undefined || keyValue === undefined) {
    return `${name}: no active key; expected one that may submit jobs`;
  }
  const requestsPerSecond = RATE_SHARE * (key.sustained ?? UNDECLARED_PER_SECOND);
  return { name, target, key, keyValue, worker, requestsPerSecond };
}

/** Jobs per second that both sides can carry within their plans, at most those asked for. */
export function jobsPerSecond(asked: number, subjects: readonly Subject[]): number {
  const paces = subjects.map((subject) => subject.requestsPerSecond / REQUESTS_A_JOB);
  return Math.min(asked, ...paces);
}
