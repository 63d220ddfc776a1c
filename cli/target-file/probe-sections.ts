/** The sections of the target file that only the probe reads. */

import type { CanaryPlan, ProbePlan, Target } from "../../contract/target.ts";
import type { TargetFile } from "./schema.ts";

/** Sections that are left out are left out of the target, too: the probe has its own defaults. */
export function probeSections(file: TargetFile): Pick<Target, "canaries" | "slo" | "probe"> {
  return {
    ...(file.canaries === undefined ? {} : { canaries: file.canaries.map(canaryPlan) }),
    ...(file.slo === undefined ? {} : { slo: file.slo }),
    ...(file.probe === undefined ? {} : { probe: probePlan(file.probe) }),
  };
}

function canaryPlan(canary: NonNullable<TargetFile["canaries"]>[number]): CanaryPlan {
  const { name, part, every, jitter, deadline, webhook, expect, overlap } = canary;
  return {
    name,
    part,
    everyMs: every,
    jitterShare: jitter ?? null,
    deadlineMs: deadline ?? null,
    webhook,
    expect: expect ?? null,
    overlapMax: overlap ?? null,
  };
}

function probePlan(probe: NonNullable<TargetFile["probe"]>): ProbePlan {
  const { budget, requestsPerJob, rateShare, key, links, metrics } = probe;
  return {
    budget: { day: budget?.day ?? null, month: budget?.month ?? null },
    requestsPerJob: requestsPerJob ?? null,
    rateShare: rateShare ?? null,
    key: key ?? null,
    links: { runbook: links?.runbook ?? null, dashboard: links?.dashboard ?? null },
    legacyMetrics: metrics?.legacy ?? false,
  };
}
