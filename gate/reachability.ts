/** Finds out, by one cheap job of its own, whether the service reaches the webhook receiver. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { decodeAccepted } from "../contract/decode/accepted.ts";
import { decodeJob } from "../contract/decode/job.ts";
import type { ReceiverReach } from "../contract/delivery.ts";
import { deliveryUrl } from "../contract/delivery.ts";
import { isSuccess, jsonBody } from "../contract/exchange.ts";
import type { PlanKey } from "../contract/run-plan.ts";
import { isTerminal } from "../contract/states.ts";
import type { Secrets, Target } from "../contract/target.ts";
import { budgetCeiling } from "./budget.ts";
import { createClient } from "./client.ts";
import { assignKeyRoles } from "./key-roles.ts";
import type { PacedSend } from "./preflight/paced-client.ts";
import { pacedClient } from "./preflight/paced-client.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";

export interface ReachabilityOptions {
  target: Target;
  secrets: Secrets;
  receiver: OpenReceiver;
  signal: AbortSignal;
}

export interface Reachability {
  /** Why no webhook can be received, as the end of a sentence; null: nothing speaks against it. */
  missing: string | null;
  reach: ReceiverReach;
  /** Jobs submitted to find out. */
  jobs: number;
}

/** Ours: a queue may be long, but a run must begin. */
const END_WAIT_MS = 60_000;
/** Ours: after its end a job's webhook is due at once; a slow network takes its time. */
const DELIVERY_WAIT_MS = 15_000;
/** Ours: polls that a plan of any kind has room for. */
const LOOK_MS = 1_000;

/** Rejects only when the signal is aborted. Where no job can tell, nothing is said. */
export async function tryReceiver(options: ReachabilityOptions): Promise<Reachability> {
  const { target, secrets, receiver, signal } = options;
  const unknown = { missing: receiver.missing, reach: "unknown", jobs: 0 } as const;
  const name = assignKeyRoles(target.keys).webhook;
  const key = target.keys.find((each) => each.name === name);
  const { success } = target.workers;
  const hasRoom = (budgetCeiling(target)?.jobs ?? 2) > 1;
  if (receiver.access === null || key === undefined || success === undefined || !hasRoom) {
    return unknown;
  }
  const client = createClient(target.baseUrl);
  const send = pacedClient(client, (each) => secrets.get(each.env) ?? "", signal);
  const token = receiver.access.tokenPrefix + randomBytes(18).toString("base64url");
  const webhook = deliveryUrl(receiver.access.publicUrl, token, [OK]);
  try {
    const accepted = await send(key, {
      method: "POST",
      route: "submit",
      parameter: success.id,
      body: { ...success.input, webhook },
    });
    const id = isSuccess(accepted) ? decodeAccepted(jsonBody(accepted)).value?.id : null;
    if (id == null) return unknown;
    const came = await delivered({ receiver, token, id, key, send, signal });
    if (came === null) return { ...unknown, jobs: 1 };
    if (came) return { missing: null, reach: "seen", jobs: 1 };
    return { missing: notReached(receiver.access.publicUrl), reach: "unknown", jobs: 1 };
  } finally {
    await client.close();
  }
}

const OK = { kind: "status", status: 200, delayMs: 0 } as const;

function notReached(publicUrl: string): string {
  return (
    `the webhook of a job that ended did not come to ${publicUrl} within ` +
    `${DELIVERY_WAIT_MS / 1_000} s; expected an address that the service reaches`
  );
}

interface Trial {
  receiver: OpenReceiver;
  token: string;
  id: string;
  key: PlanKey;
  send: PacedSend;
  signal: AbortSignal;
}

/** Null when the job never ended: then its webhook is not due, and nothing is known. */
async function delivered(trial: Trial): Promise<boolean | null> {
  const startedAtMs = Date.now();
  let endedAtMs: number | null = null;
  while (endedAtMs === null || Date.now() < endedAtMs + DELIVERY_WAIT_MS) {
    if (await trial.receiver.hasDelivery(trial.token)) return true;
    if (endedAtMs === null && (await hasEnded(trial))) endedAtMs = Date.now();
    if (endedAtMs === null && Date.now() > startedAtMs + END_WAIT_MS) return null;
    await sleep(LOOK_MS, undefined, { signal: trial.signal });
  }
  return trial.receiver.hasDelivery(trial.token);
}

async function hasEnded({ send, key, id }: Trial): Promise<boolean> {
  const answer = await send(key, { route: "job", parameter: id });
  const state = isSuccess(answer) ? decodeJob(jsonBody(answer)).value?.state : null;
  return state != null && isTerminal(state);
}
