/** The embedded service as a target: every part of a target file filled in. */

import type { SignatureScheme } from "../contract/jobs/delivery.ts";
import {
  type CancelPlan,
  DEFAULT_TOLERANCES,
  type LoadPlan,
  type Part,
  type PlanKey,
  type WorkerPart,
} from "../contract/run/run-plan.ts";
import type { Target, WebhookTarget } from "../contract/target.ts";
import { Secret, type Secrets } from "../contract/text/secret.ts";
import { WEBHOOK_SIGNATURE_HEADER } from "../contract/webhook-schedule.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import type { Choices } from "./choices.ts";
import type { ReferenceOptions } from "./options.ts";
import type { ReferenceService } from "./service.ts";
import { secretOf } from "./webhooks/signature.ts";

/** The receiver's name of each spelling that the service can sign in. */
export const SCHEMES: Readonly<Record<Choices["signature"], SignatureScheme>> = {
  hex: "hmac-sha256",
  "sha256-prefix": "hmac-sha256",
  base64: "hmac-sha256-base64",
  timestamped: "hmac-sha256-timestamp",
  "standard-webhooks": "standard-webhooks",
};

/** Which of the embedded workers plays which part. */
export const PART_WORKERS = {
  success: { id: "echo", input: { text: "hello" }, marker: "text" },
  slow: { id: "sleep", input: { seconds: 8 } },
  timeout: { id: "sleep-short", input: { seconds: 60 } },
  failure: { id: "fail", input: {} },
  list: { id: "rows", input: { count: 3 } },
  empty: { id: "nothing", input: {} },
  files: { id: "render", input: { title: "Report", pages: 2 } },
} as const satisfies Record<Part, WorkerPart>;

export const SECRET_VARIABLE = "PLUMBLINE_WEBHOOK_SECRET";

export function embeddedTarget(service: Pick<ReferenceService, "baseUrl" | "keys" | "options">): {
  target: Target;
  secrets: Secrets;
} {
  const { options } = service;
  const signing = new Map(
    service.keys.map(({ account }) => [
      signingVariable(options, account),
      secretOf(options, account),
    ]),
  );
  const target: Target = {
    baseUrl: service.baseUrl,
    timeScale: service.options.timeScale,
    embedded: true,
    keys: service.keys.map((key) => planKey(key, options)),
    workers: PART_WORKERS,
    publish: { worker: "my-worker", key: "big" },
    cancel: cancelPlan(service.options.choices),
    webhook: webhookOf(SCHEMES[options.choices.signature], [...signing.keys()]),
    load: loadPlan(service.options.timeScale),
    tolerances: DEFAULT_TOLERANCES,
    budget: null,
  };
  const values = service.keys.map((key) => [variableOf(key.name), new Secret(key.value)] as const);
  const secrets = new Map([
    ...values,
    ...[...signing].map(([name, secret]) => [name, new Secret(secret)] as const),
  ]);
  return { target, secrets };
}

/** Received on this machine; the secrets of the signatures are in these variables. */
export function webhookOf(
  scheme: SignatureScheme,
  secretEnvs: readonly string[] = [SECRET_VARIABLE],
): WebhookTarget {
  return {
    listen: { host: "127.0.0.1", port: 0 },
    publicUrl: null,
    signature: { header: WEBHOOK_SIGNATURE_HEADER, scheme, secretEnvs },
  };
}

/**
 * Ours: short enough for `npm start`, long enough for faults of 1 job in 200; in real time several
 * times as long as the jobs that run into their limit of 20 s.
 */
const LOAD_MS = { scaled: 12_000, realTime: 180_000 };

/** Ours: slow jobs are as few as the four slots of their worker serve in real time. */
export function loadPlan(timeScale: number): LoadPlan {
  return {
    jobsPerSecond: 20,
    keys: null,
    beyondPlan: false,
    durationMs: timeScale < 1 ? LOAD_MS.scaled : LOAD_MS.realTime,
    mix: { success: 30, list: 5, empty: 5, files: 5, failure: 5, timeout: 8, slow: 1, cancel: 1 },
    objectives: {
      throughputShare: 0.95,
      submitP99Ms: 500,
      queueWaitP99Ms: 5_000,
      errorShare: 0,
      driftShare: 0.5,
    },
  };
}

function planKey(key: ReferenceKey, options: ReferenceOptions): PlanKey {
  const { name, plan, sustained, burst, account, state } = key;
  const own = { webhookSecretEnv: signingVariable(options, account) };
  const planned = { name, env: variableOf(name), state, plan, sustained, burst, account };
  return options.choices.secrets === "one" ? planned : { ...planned, ...own };
}

function signingVariable({ choices }: Pick<ReferenceOptions, "choices">, account: string): string {
  return choices.secrets === "one"
    ? SECRET_VARIABLE
    : `${SECRET_VARIABLE}_${account.toUpperCase()}`;
}

function variableOf(name: string): string {
  return `PLUMBLINE_KEY_${name.toUpperCase().replaceAll("-", "_")}`;
}

function cancelPlan(choices: Choices): CancelPlan {
  const bodies = { none: null, status: { status: "cancelled" }, action: { action: "cancel" } };
  return { method: choices.cancelMethod, body: bodies[choices.cancelBody] };
}
