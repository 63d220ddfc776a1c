/** The target file of a service that is reached by a path of another address. */

import { loadPlan } from "../../reference/embedded-target.ts";
import type { Announcement } from "../soak/service.ts";

const SECRET_VARIABLE = "PRESSURE_WEBHOOK_SECRET";
const variableOf = (key: string) => `PRESSURE_KEY_${key.toUpperCase().replaceAll("-", "_")}`;

export interface Ways {
  /** Under which the suite reaches the service. */
  baseUrl: string;
  /** Where the receiver listens, and under which address the service reaches it. */
  receiverPort: number;
  publicUrl: string;
}

/**
 * Ours: what an operator may ask for behind such a path. Three losses in a row take 1.4 s, and one
 * in 8,000 segments meets them.
 */
const SUBMIT_P99 = "3s";

/** Ours: without bounds, as the jobs cost nothing. */
const BUDGET = { jobs: 1_000_000 };

/** JSON, which is YAML as well. */
export function targetFor(service: Announcement, ways: Ways): string {
  const { jobsPerSecond, durationMs, mix } = loadPlan(service.timeScale);
  const { scheme, header } = service.webhook;
  return JSON.stringify({
    target: { baseUrl: ways.baseUrl, timeScale: service.timeScale },
    keys: usedKeys(service).map(({ name, plan, account, state }) => {
      return { name, plan, account, state, env: variableOf(name) };
    }),
    workers: service.workers,
    publish: { worker: "my-worker" },
    cancel: { method: "DELETE" },
    webhook: {
      listen: `127.0.0.1:${ways.receiverPort}`,
      publicUrl: ways.publicUrl,
      signature: { header, scheme, secretEnv: SECRET_VARIABLE },
    },
    load: {
      jobsPerSecond,
      duration: `${durationMs}ms`,
      mix,
      objectives: { submitP99: SUBMIT_P99, queueWaitP99: "10s", errorShare: 0, driftShare: 0.5 },
    },
    budget: BUDGET,
    canaries: CANARIES,
    probe: { key: "pro-a", rateShare: 0.5, budget: { day: BUDGET } },
  });
}

/** Ours: a path of one process carries no bursts of 400; the load needs no more than pro keys. */
const usedKeys = ({ keys }: Announcement) => keys.filter(({ plan }) => plan !== "enterprise");

/** Every kind of end, often; half of them with a webhook. */
const CANARIES = [
  { name: "echo", part: "success", every: "2s", webhook: true },
  { name: "sleep", part: "slow", every: "10s" },
  { name: "limit", part: "timeout", every: "30s", webhook: true },
  { name: "cancel", part: "slow", every: "10s", expect: "cancelled" },
  { name: "fail", part: "failure", every: "4s", webhook: true },
  { name: "rows", part: "list", every: "4s" },
  { name: "nothing", part: "empty", every: "4s" },
  { name: "render", part: "files", every: "4s" },
];

/** What the target file's variables hold. */
export function secretsFor({ keys, webhook }: Announcement): Record<string, string> {
  const values = keys.map(({ name, value }) => [variableOf(name), value] as const);
  return { ...Object.fromEntries(values), [SECRET_VARIABLE]: webhook.secret };
}
