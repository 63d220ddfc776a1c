/** Inputs that stay just below a worker's limit, made of one that exceeds it. Spec §2.3. */

import type { WorkerPart } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";

/**
 * Ours: far enough below the limit for start-up, near enough to be cut off by a limit too short.
 */
const BELOW_SHARE = 0.9;
/** Ours: how names of fields say that they count milliseconds. */
const MILLISECONDS_NAME = /ms$|milli/i;

/**
 * The worker with the one number of its input that exceeds the limit set to 90 % of it; null
 * where there is none, or several and so no telling which one is the duration.
 */
export function inputBelow(worker: WorkerPart, limitSeconds: number): WorkerPart | null {
  const fields = Object.entries(worker.input).flatMap(([name, value]) => {
    const limit = MILLISECONDS_NAME.test(name) ? limitSeconds * 1_000 : limitSeconds;
    return typeof value === "number" && value > limit ? [{ name, limit }] : [];
  });
  const [field, ...others] = fields;
  if (field === undefined || others.length > 0) return null;
  const input: Record<string, Json> = { ...worker.input };
  input[field.name] = below(field.limit);
  return { ...worker, input };
}

/** A whole number, as the field may take no other, where the limit leaves room for one. */
function below(limit: number): number {
  const value = limit * BELOW_SHARE;
  return value >= 1 ? Math.floor(value) : value;
}
