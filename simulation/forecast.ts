/**
 * What a gate would rule out on a target, before anything is sent: a whole gate on virtual time,
 * with the target file's own keys, parts, budget and load, on the reference service. Its workers
 * play the parts that the file names; their prices and run times are not the target's.
 */

import { mixParts } from "../contract/run/load-mix.ts";
import type { PlanKey, RunPlan, WorkerPart } from "../contract/run/run-plan.ts";
import { PARTS } from "../contract/run/run-plan.ts";
import type { Variant } from "../contract/states.ts";
import type { Target, WebhookTarget } from "../contract/target.ts";
import type { Finding } from "../contract/verdict.ts";
import type { ReferenceKey } from "../reference/accounts/keys.ts";
import { LIMITS } from "../reference/accounts/keys.ts";
import { WORKERS } from "../reference/catalogue/workers.ts";
import type { Choices } from "../reference/choices.ts";
import { CHOICES } from "../reference/choices.ts";
import { PART_WORKERS, SCHEMES } from "../reference/embedded-target.ts";
import type { ReferenceOptions } from "../reference/options.ts";
import { simulateGate } from "./simulated-gate.ts";

export interface ForecastOrder {
  target: Target;
  profile: RunPlan["profile"];
  variant: Variant;
}

/** Ours: any will do; the same file is told the same. */
const SEED = 1;

/** One finding a promise, on a service that keeps all of them. */
export async function forecast(order: ForecastOrder): Promise<readonly Finding[]> {
  const { target, profile, variant } = order;
  const keys = target.keys.map(referenceKey);
  const owners = [...new Set(keys.map(({ account }) => account))];
  const { findings } = await simulateGate({
    seed: SEED,
    profile,
    service: {
      variant,
      timeScale: target.timeScale,
      choices: choicesFor(target),
      slots: slotsFor(target),
    },
    keys,
    workers: WORKERS.map((worker) => (worker.owners === null ? worker : { ...worker, owners })),
    target: (embedded) => rehearsed(target, embedded),
    scenarios: () => import("./k6-scenarios.ts"),
  });
  return findings;
}

/** Ours: limits of keys without a declared plan, which nobody measures. */
const UNDECLARED_PLAN = "pro";

function referenceKey({ name, plan, sustained, burst, account, state }: PlanKey): ReferenceKey {
  const limits = LIMITS[plan ?? UNDECLARED_PLAN];
  return {
    name,
    value: `rehearsed-${name}`,
    plan: plan ?? UNDECLARED_PLAN,
    sustained: sustained ?? limits.sustained,
    burst: burst ?? limits.burst,
    account: account ?? (state === "exhausted" ? "undeclared, empty" : "undeclared"),
    state,
  };
}

function choicesFor({ cancel, webhook }: Target): Partial<Choices> {
  const isTold = cancel !== null && cancel.method !== "auto";
  const scheme = webhook?.signature.scheme;
  const signature = CHOICES.signature.values.find((value) => SCHEMES[value] === scheme);
  return {
    ...(isTold ? { cancelMethod: cancel.method } : {}),
    ...(signature === undefined ? {} : { signature }),
  };
}

/** Ours: slots for twice the load, so that no objective fails by their lack. */
const SLOTS_SPARE = 2;

/** As many as the load takes, and no fewer than the embedded workers have. */
function slotsFor(target: Target): ReferenceOptions["slots"] {
  if (target.load === null) return {};
  const { parts } = mixParts(target);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return Object.fromEntries(
    WORKERS.map((worker) => {
      const running = parts.map(({ part, weight }) => {
        const { id, input } = PART_WORKERS[part === "cancel" ? "slow" : part];
        const seconds = Math.min(worker.runSeconds(input), worker.timeoutSeconds);
        const rate = ((target.load?.jobsPerSecond ?? 0) * weight) / total;
        return id === worker.id ? rate * seconds : 0;
      });
      const slots = SLOTS_SPARE * running.reduce((sum, each) => sum + each, 0);
      return [worker.id, Math.max(worker.concurrency, Math.ceil(slots))];
    }),
  );
}

/** The target, as it would be if it were the reference service. */
function rehearsed(target: Target, embedded: Target): Target {
  return {
    ...target,
    baseUrl: embedded.baseUrl,
    keys: target.keys.map(({ webhookSecretEnv: _, ...key }, at) => {
      return { ...key, env: embedded.keys[at]?.env ?? key.env };
    }),
    workers: Object.fromEntries(
      PARTS.flatMap((part) => {
        const given = target.workers[part];
        const { marker, ...worker }: WorkerPart = PART_WORKERS[part];
        if (given === undefined) return [];
        const isMarked = given.marker !== undefined && marker !== undefined;
        return [[part, isMarked ? { ...worker, marker } : worker]];
      }),
    ),
    publish:
      target.publish === null || embedded.publish === null
        ? null
        : { ...embedded.publish, key: target.publish.key },
    webhook: target.webhook === null ? null : rehearsedWebhook(target.webhook, embedded.webhook),
    // Prices are not known before a service was asked for them.
    budget: target.budget === null ? null : { ...target.budget, credits: null, usd: null },
  };
}

function rehearsedWebhook(given: WebhookTarget, own: WebhookTarget | null): WebhookTarget {
  const isChecked = given.signature.secretEnvs.length > 0;
  const secretEnvs = isChecked ? (own?.signature.secretEnvs ?? []) : [];
  return { ...given, signature: { ...given.signature, secretEnvs } };
}
