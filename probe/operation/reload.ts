/** What of a target can change while jobs are in flight, and the refusal of the rest. */

import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import { keyOf } from "../client/probe-key.ts";
import type { OpenParts } from "./parts.ts";
import { REQUESTS_PER_JOB } from "./parts.ts";

/** Throws, and changes nothing, where the next target takes a restart. */
export function takeTarget({ parts, pacer }: OpenParts, next: Target): void {
  const before = parts.target;
  const key = keyOf(next);
  const fixed = [
    ["target.baseUrl", before.baseUrl, next.baseUrl],
    ["webhook", before.webhook, next.webhook],
    ["the probe's key", nameOf(keyOf(before)), nameOf(key)],
    ["probe.metrics", before.probe?.legacyMetrics ?? false, next.probe?.legacyMetrics ?? false],
  ] as const;
  const changed = fixed.filter(([, was, is]) => JSON.stringify(was) !== JSON.stringify(is));
  if (changed.length > 0) {
    const names = changed.map(([name]) => name).join(" and ");
    throw new Error(`${names} changed, which takes a restart; expected the same as before`);
  }
  parts.target = next;
  parts.requestsPerJob = next.probe?.requestsPerJob ?? REQUESTS_PER_JOB;
  pacer.use(key, next.probe?.rateShare ?? null);
}

function nameOf({ name, env }: PlanKey): string {
  return `${name} ${env}`;
}
