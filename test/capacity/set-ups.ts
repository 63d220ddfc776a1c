/** Services with a planted capacity, and what a search has to find on each. */

import type { Failure } from "../../report/capacity-model.ts";

export interface SetUp {
  name: string;
  /** Options of `plumbline reference`. */
  serviceArgs: readonly string[];
  key: { name: string; plan: string };
  runSeconds: number;
  /** Options of `plumbline capacity`. */
  args: readonly string[];
  /** Jobs a second. */
  planted: number;
  bottleneck: Failure["bottleneck"];
  what: string;
}

/** The start-up of a job, which takes its slot as well: 0.1 s in variant B. */
const START_SECONDS = 0.1;

const BIG = { name: "big", plan: "{ plan: enterprise, sustained: 200, burst: 400" };

export const SET_UPS: readonly SetUp[] = [
  {
    name: "queue",
    serviceArgs: ["--slots", "sleep=20"],
    key: BIG,
    runSeconds: 0.5 - START_SECONDS,
    args: [],
    planted: 40,
    bottleneck: "queue",
    what: "20 slots, 0.5 s a job, no limiter in reach; jobs queue for a slot",
  },
  {
    name: "limiter",
    serviceArgs: ["--slots", "sleep=60"],
    key: { name: "pro-a", plan: "{ plan: pro" },
    runSeconds: 0.5 - START_SECONDS,
    args: ["--beyond-plan"],
    planted: 50,
    bottleneck: "limiter",
    what: "60 slots, 0.5 s a job (120 a second), a key of 50 requests a second",
  },
  {
    name: "workers",
    serviceArgs: ["--slots", "sleep=5000", "--concurrency", "5000", "--processors", "20"],
    key: BIG,
    runSeconds: 0.5,
    args: [],
    planted: 40,
    bottleneck: "workers",
    what: "20 processors that all runs share, 0.5 s of work a job, nothing queues",
  },
];

/** The target file of a set-up; the key's value is in CAPACITY_KEY. */
export function plantedTarget(baseUrl: string, { key, runSeconds }: SetUp): string {
  return `target: { baseUrl: "${baseUrl}" }
keys:
  - ${key.plan}, name: ${key.name}, account: one, env: CAPACITY_KEY }
workers:
  success: { id: sleep, input: { seconds: ${runSeconds} } }
webhook: { listen: "127.0.0.1:0" }
budget: { jobs: 20000 }
`;
}
