/** The service levels that the probe counts good and bad events for. */

import type { Objective } from "../../contract/target.ts";

export const SERVICE_LEVELS = ["canary-success", "webhook-delivered", "api-available"] as const;
export type ServiceLevel = (typeof SERVICE_LEVELS)[number];

/** Ours: what on-call starts from until the target file says otherwise. */
const DEFAULT_OBJECTIVE = 99.5;

/** The objective of each level in per cent; names of the target file that are no level are left. */
export function objectivesOf(slo: readonly Objective[] = []): ReadonlyMap<ServiceLevel, number> {
  return new Map(
    SERVICE_LEVELS.map((level) => {
      const given = slo.find(({ name }) => name === level);
      return [level, given?.objective ?? DEFAULT_OBJECTIVE] as const;
    }),
  );
}
