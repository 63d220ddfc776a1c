/** Options of a search that meets no service. */

import type { CapacityOptions } from "../../capacity/options.ts";
import { BASE_TARGET } from "../gate/base-target.ts";

const KEY = {
  name: "big",
  env: "CAPACITY_KEY",
  state: "active",
  plan: "enterprise",
  sustained: 1_000,
  burst: 2_000,
  account: "one",
} as const;

export function searchOptions(given: Partial<CapacityOptions> = {}): CapacityOptions {
  return {
    of: "jobs",
    target: { ...BASE_TARGET, keys: [KEY], workers: {} },
    secrets: new Map(),
    worker: { id: "sleep", input: {} },
    endpoint: "me",
    keys: [KEY],
    objectives: [{ kind: "errors", belowShare: 0.01, text: "errors<1%" }],
    startRate: 5,
    maxRate: 1_000,
    beyondPlan: true,
    stepMs: 9_000,
    timeMs: 3_600_000,
    calmMs: 0,
    budget: null,
    seed: 1,
    receiver: { access: null, missing: null },
    k6: { path: "k6", version: "2.2.0" },
    script: "scenarios/capacity.ts",
    outputDir: "report",
    remoteWrite: null,
    signal: new AbortController().signal,
    onEvent: () => {},
    ...given,
  };
}
