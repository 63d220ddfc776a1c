/** Finds out, by one cheap job of its own, whether the service reaches the webhook receiver. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../clock/system-clock.ts";
import { decodeAccepted } from "../contract/decode/accepted.ts";
import { jobIn } from "../contract/decode/job.ts";
import type { Job } from "../contract/decode/job-types.ts";
import type { ReceiverReach } from "../contract/jobs/delivery.ts";
import { ANSWER_OK, deliveryUrl } from "../contract/jobs/delivery.ts";
import type { Price, Spent } from "../contract/limits/budget.ts";
import { jobsAffordable, NOTHING_SPENT, sumOf, UNPRICED } from "../contract/limits/budget.ts";
import { countText } from "../contract/numbers/figures.ts";
import { isSuccess, jsonBody } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { isTerminal } from "../contract/states.ts";
import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { MACHINE_TIME } from "../http/careful.ts";
import { createClient } from "../http/client.ts";
import { tracedIf } from "../http/traced.ts";
import { budgetCeiling } from "./budget.ts";
import type { CarefulSend } from "./careful-send.ts";
import { BEFORE_THE_RUN, carefulSend } from "./careful-send.ts";
import { assignKeyRoles } from "./key-roles.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";

export interface ReachabilityOptions {
  target: Target;
  secrets: Secrets;
  receiver: OpenReceiver;
  /** Of a job of the success part; left out: not known. */
  price?: Price;
  signal: AbortSignal;
}

export interface Reachability {
  /** Why no webhook can be received, as the end of a sentence; null: nothing speaks against it. */
  missing: string | null;
  reach: ReceiverReach;
  /** What it cost to find out. */
  spent: Spent;
  /** Credits that the job was estimated at; null where it was not. */
  estimate: number | null;
}

/** Ours: a queue may be long, but a run must begin. */
const END_WAIT_MS = 60_000;
/** Ours: after its end a job's webhook is due at once; a slow network takes its time. */
const DELIVERY_WAIT_MS = 15_000;
/** Ours: polls that a plan of any kind has room for. */
const POLL_MS = 1_000;

/** Ours: one that loses a webhook in ten would hide all its faults in a tenth of the runs. */
const JOBS_TRIED_MAX = 2;

/**
 * Rejects only when the signal is aborted. Where no job can tell, nothing is said. One webhook that
 * did not come may have been lost: whether the service loses some is what the run looks at.
 */
export async function tryReceiver(options: ReachabilityOptions): Promise<Reachability> {
  const affordable = jobsAffordable(budgetCeiling(options.target), options.price ?? UNPRICED);
  let spent = NOTHING_SPENT;
  for (let jobs = 1; ; jobs += 1) {
    const found = await tryOneJob(options);
    spent = sumOf(spent, found.spent);
    const hasRoom = affordable > jobs + 1;
    if (found.reach !== "missed" || !hasRoom || jobs === JOBS_TRIED_MAX) return { ...found, spent };
  }
}

/** Whose job it is; undefined where no key may submit one. */
export function tryingKey({ keys }: Target): PlanKey | undefined {
  const name = assignKeyRoles(keys).webhook;
  return keys.find((each) => each.name === name);
}

async function tryOneJob(options: ReachabilityOptions): Promise<Reachability> {
  const { target, secrets, receiver, price = UNPRICED, signal } = options;
  const nothing = { spent: NOTHING_SPENT, estimate: null };
  const unknown = { missing: receiver.missing, reach: "unknown", ...nothing } as const;
  const key = tryingKey(target);
  const { success } = target.workers;
  // One for this, and at least one for the run itself.
  const hasRoom = jobsAffordable(budgetCeiling(target), price) > 1;
  if (receiver.access === null || key === undefined || success === undefined || !hasRoom) {
    return unknown;
  }
  const client = tracedIf(target.trace != null, createClient(target.baseUrl));
  const send = carefulSend(client, secrets, BEFORE_THE_RUN, MACHINE_TIME, signal);
  const token = receiver.access.tokenPrefix + randomBytes(18).toString("base64url");
  const webhook = deliveryUrl(receiver.access.publicUrl, token, [ANSWER_OK]);
  const submit = async (control: { webhook?: string }) =>
    send(key, {
      method: "POST",
      route: "submit",
      parameter: success.id,
      body: { ...success.input, ...control },
    });
  try {
    const turnedAwayBefore = await receiver.turnedAway();
    const asked = await submit({ webhook });
    const isRefused = asked.status === 400 || asked.status === 422;
    const accepted = isRefused ? await submit({}) : asked;
    if (!isSuccess(accepted)) return unknown;
    const { id = null, estimatedCredits: estimate = null } =
      decodeAccepted(jsonBody(accepted)).value ?? {};
    const assumed = { jobs: 1, credits: estimate ?? price.credits ?? 0, usd: price.usd ?? 0 };
    if (isRefused) {
      const missing = notTaken(receiver.access.publicUrl, asked.status);
      return { ...unknown, missing, spent: assumed, estimate };
    }
    if (id === null) return { ...unknown, spent: assumed, estimate };
    const trial = { receiver, token, id, key, send, signal };
    const came = await delivered(trial);
    const cost = { spent: await costOf(trial, assumed), estimate };
    if (came === null) return { ...unknown, ...cost };
    if (came) {
      const isSeen = await receiver.hasVouchedDelivery(token);
      return { missing: null, reach: isSeen ? "seen" : "unknown", ...cost };
    }
    const turnedAway = (await receiver.turnedAway()) - turnedAwayBefore;
    const missing = notReached(receiver.access.publicUrl, turnedAway);
    return { missing, reach: "missed", ...cost };
  } finally {
    await client.close();
  }
}

/** Which addresses a service takes is open, and it may want https. Spec §4.3. */
function notTaken(publicUrl: string, status: number): string {
  return (
    `a job with a webhook at ${publicUrl} was refused with ${status}, and accepted without it; ` +
    "expected an address that the service takes (webhook.publicUrl, with https if it asks for that)"
  );
}

/** Requests that were turned away may be the service's, and show what it makes of an address. */
function notReached(publicUrl: string, turnedAway: number): string {
  const what =
    `the webhook of a job that ended did not come to ${publicUrl} within ` +
    `${DELIVERY_WAIT_MS / 1_000} s; `;
  if (turnedAway === 0) {
    return `${what}expected an address that the service reaches, or no webhook in the target file`;
  }
  return (
    `${what}${countText(turnedAway, "other request")} came there meanwhile; ` +
    "expected a POST to the whole address, path and query as they were given"
  );
}

interface Trial {
  receiver: OpenReceiver;
  token: string;
  id: string;
  key: PlanKey;
  send: CarefulSend;
  signal: AbortSignal;
}

/** Null when the job never ended: then its webhook is not due, and nothing is known. */
async function delivered(trial: Trial): Promise<boolean | null> {
  const startedAtMs = nowMs();
  let endedAtMs: number | null = null;
  while (endedAtMs === null || nowMs() < endedAtMs + DELIVERY_WAIT_MS) {
    if (await trial.receiver.hasDelivery(trial.token)) return true;
    if (endedAtMs === null && (await endOf(trial)) !== null) endedAtMs = nowMs();
    if (endedAtMs === null && nowMs() > startedAtMs + END_WAIT_MS) return null;
    await sleep(POLL_MS, undefined, { signal: trial.signal });
  }
  return trial.receiver.hasDelivery(trial.token);
}

async function endOf({ send, key, id }: Trial): Promise<Job | null> {
  const answer = await send(key, { route: "job", parameter: id });
  const job = jobIn(answer);
  return isTerminal(job?.state) ? job : null;
}

/** What the job says that it cost; else what it was expected to. */
async function costOf(trial: Trial, expected: Spent): Promise<Spent> {
  const cost = (await endOf(trial))?.cost;
  const { credits, usd } = expected;
  return { jobs: 1, credits: cost?.credits ?? credits, usd: cost?.totalUsd ?? usd };
}
