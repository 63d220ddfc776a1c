/**
 * What a target leaves out, which promises stay unobserved for it, and the line that adds it.
 * test/cli/init/gaps.test.ts holds the table against whole runs of the gate.
 */

import type { PromiseGroup, PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS, PROMISES } from "../../contract/promises.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import { shortList } from "../../report/by-verdict.ts";

export interface Gap {
  /** Section or field of the target file, and which one of several. */
  field: string;
  isMissing(target: Target): boolean;
  /** What to add, as it stands in the file. */
  add: string;
  promises: readonly PromiseId[];
}

const OBJECTIVES = ["load.throughput", "load.latency", "load.stable"] as const;

/** Ours, as counted in simulated runs without a load: with fewer, no scenario has room for 100. */
const JOBS_FOR_A_FULL_LIST = 250;

export const GAPS: readonly Gap[] = [
  {
    field: "keys.plan",
    isMissing: ({ keys }) => !keys.some(({ plan, state }) => state === "active" && plan !== null),
    add: "plan: free, pro or enterprise on an active key",
    promises: groups("rate"),
  },
  {
    field: "keys second",
    isMissing: ({ keys }) => active(keys).filter(({ plan }) => plan !== null).length < 2,
    add: "a second active key with a plan",
    promises: ["rate.per-key"],
  },
  {
    field: "keys.account",
    isMissing: ({ keys }) => new Set(active(keys).flatMap(({ account }) => account ?? [])).size < 2,
    add: "account: on active keys of two accounts",
    promises: ["job.list-own"],
  },
  {
    field: "keys revoked",
    isMissing: ({ keys }) => !keys.some(({ state }) => state === "revoked"),
    add: "a revoked key, { name: old, state: revoked, env: ... }",
    promises: ["auth.revoked-key"],
  },
  {
    field: "keys exhausted",
    isMissing: ({ keys }) => !keys.some(({ state }) => state === "exhausted"),
    add: "a key whose account has no credits, { name: broke, state: exhausted, env: ... }",
    promises: ["submit.insufficient-credits"],
  },
  {
    field: "workers",
    isMissing: ({ workers }) => Object.keys(workers).length === 0,
    add: "a worker, success: { id: ..., input: { ... } }",
    promises: [
      ...groups("submit", "job", "timeout", "cancel", "webhook", "load").filter(isAboutJobs),
      "rate.rejected-not-run",
    ],
  },
  part("success", "completes within seconds at low cost", [
    "submit.asynchronous",
    "job.own-result",
    "job.list-limit",
    "job.list-own",
    ...groups("webhook"),
    "rate.rejected-not-run",
  ]),
  {
    field: "workers.success.marker",
    isMissing: ({ workers: { success } }) => success !== undefined && success.marker === undefined,
    add: "marker: ..., a free text field of the input, in success",
    promises: ["job.own-result"],
  },
  part("slow", "completes after some seconds", ["submit.asynchronous", ...groups("cancel")]),
  part("timeout", "runs longer than its timeout_seconds", groups("timeout")),
  part("failure", "fails", ["job.error-only-on-failure"]),
  part("files", "completes with files (variant B)", ["job.files", "job.files-readable"]),
  {
    field: "publish",
    isMissing: ({ publish }) => publish === null,
    add: "publish: { worker: ... }, a worker of your own, which the run really publishes",
    promises: ["workers.publish"],
  },
  {
    field: "cancel",
    isMissing: ({ cancel }) => cancel === null,
    add: "cancel: { method: DELETE }, or auto, which tries common requests on jobs of the run",
    promises: groups("cancel"),
  },
  {
    field: "webhook",
    isMissing: ({ webhook }) => webhook === null,
    add: 'webhook: { listen: "127.0.0.1:8090", publicUrl: "https://hooks.example.com" }',
    promises: [...groups("webhook"), "load.webhooks"],
  },
  {
    field: "budget",
    isMissing: ({ budget, embedded }) =>
      budget === null ? !embedded : (budget.jobs ?? JOBS_FOR_A_FULL_LIST) < JOBS_FOR_A_FULL_LIST,
    add: "budget: { jobs: 250 }, and more with a load",
    promises: ["job.list-limit"],
  },
  {
    field: "load",
    isMissing: ({ load }) => load === null,
    add: "load: { jobsPerSecond: 2, duration: 60s }",
    promises: [...groups("load"), "timeout.under-load"],
  },
  {
    field: "load.objectives",
    isMissing: ({ load }) => load !== null && Object.values(load.objectives).every(isUnset),
    add: 'objectives: { throughput: "95%", submitP99: 500ms, driftShare: 0.5 } in load',
    promises: OBJECTIVES,
  },
];

export function gapsOf(target: Target): readonly Gap[] {
  return GAPS.filter((gap) => gap.isMissing(target));
}

function active(keys: Target["keys"]): Target["keys"] {
  return keys.filter(({ state }) => state === "active");
}

/** The error share has a default, 0. */
function isUnset(objective: number | null): boolean {
  return objective === null || objective === 0;
}

/** A job that does not exist can be asked for without any worker. */
function isAboutJobs(id: PromiseId): boolean {
  return id !== "job.unknown";
}

function groups(...names: readonly PromiseGroup[]): readonly PromiseId[] {
  return PROMISE_IDS.filter((id) => names.includes(groupOf(id)));
}

function part(name: Part, does: string, promises: readonly PromiseId[]): Gap {
  return {
    field: `workers.${name}`,
    // Without any worker one line says so.
    isMissing: ({ workers }) => Object.keys(workers).length > 0 && workers[name] === undefined,
    add: `a worker that ${does}, ${name}: { id: ..., input: { ... } }`,
    promises,
  };
}

/** Says what a target leaves out, and which promises stay unobserved for it. */
export function gapLines(target: Target): readonly string[] {
  const gaps = gapsOf(target);
  const missed = new Set(gaps.flatMap(({ promises }) => promises));
  const total = PROMISE_IDS.length;
  if (gaps.length === 0) return [`all ${total} promises can be judged with it`];
  return [
    `${total - missed.size} of ${total} promises can be judged with it; the others need more:`,
    ...gaps.flatMap(({ add, promises }) => {
      const named = PROMISES.filter(({ id }) => promises.includes(id));
      return [`  + ${add}`, `      ${shortList(named, PROMISES)}`];
    }),
  ];
}
