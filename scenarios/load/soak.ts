/** What all pieces of the soak share: plan, keys, mix, ledger, tally, and how far it is. */

import type { WorkerDetail } from "../../contract/decode/worker.ts";
import type { Price } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { LoadObjectives, LoadPlan, RunPlan } from "../../contract/run/run-plan.ts";
import type { Context } from "../client/context.ts";
import type { Follower } from "../client/followed/follower.ts";
import type { Bystander } from "./bystander.ts";
import type { LateCosts } from "./followed/late-costs.ts";
import type { Entry, Ledger } from "./followed/ledger.ts";
import type { LearntQuantiles } from "./learnt.ts";
import type { Mix } from "./offered/mix.ts";
import type { LoadedKey } from "./offered/rates.ts";
import type { Tally, Third } from "./tally.ts";
import type { Retries } from "./webhooks/failed-deliveries.ts";

export interface Soak {
  readonly plan: RunPlan;
  readonly load: LoadPlan;
  readonly objectives: LoadObjectives;
  readonly context: Context;
  readonly keys: readonly LoadedKey[];
  readonly mix: Mix;
  readonly jobsPerSecond: number;
  readonly manners: Manners;
  /** Common beginning of the webhook tokens of this soak. */
  readonly tokenPrefix: string;
  /** Of each worker in the mix, by identifier. */
  readonly details: ReadonlyMap<string, WorkerDetail | null>;
  readonly prices: ReadonlyMap<string, Price>;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly bystander: Bystander;
  readonly retries: Retries;
  readonly follower: Follower<Entry, Exchange>;
  readonly learnt: LearntQuantiles;
  readonly costs: LateCosts;
  readonly startMs: number;
  /** When the last submission is due; when the budget ended it, where that was before. */
  offerUntilMs: number;
  phase: "offering" | "draining" | "over";
  /** Why no more is offered, though it is not time yet; null while it goes on. */
  stopped: string | null;
  /** False when it was ended before its time. */
  isWhole: boolean;
  /** Why it was not offered whole, in a sentence; null while it is. */
  whyEnded: string | null;
  /** It was told that this machine falls behind the schedule. */
  isBehind: boolean;
  /** Requests to the service without an answer yet. */
  inFlight: number;
  /** When a request last met an idle connection that may have been closed. */
  idleClosedAtMs: number;
  /** The slack of a machine that is late, as it was worked out last. */
  slack: { atMs: number; ms: number } | null;
  feed: { failures: number; evicted: number };
}

/** How a load behaves towards the service. */
export interface Manners {
  /** Submissions go on while the key is told to wait. */
  ignoresWaits: boolean;
  /** A job whose end a webhook told is polled; else only where the webhook leaves times out. */
  verifies: boolean;
}

/** Of a soak: it keeps to what the service asks for, and takes nothing at its word. */
export const CAREFUL: Manners = {
  ignoresWaits: false,
  verifies: true,
};

/** Run limit of a worker; null where it tells none. Spec §2.3. */
export function statedLimitMs(soak: Soak, workerId: string): number | null {
  const seconds = soak.details.get(workerId)?.timeoutSeconds;
  return seconds == null ? null : seconds * soak.plan.times.secondMs;
}

/** Of the time in which jobs are submitted. */
export function thirdOf({ startMs, offerUntilMs }: Soak, atMs: number): Third {
  const share = (atMs - startMs) / (offerUntilMs - startMs);
  return share < 1 / 3 ? 0 : share < 2 / 3 ? 1 : 2;
}

/** Whether webhooks can be waited for; a feed that fails again and again is given up. */
export function hasFeed(soak: Pick<Soak, "plan" | "feed">): boolean {
  return soak.plan.receiver !== null && soak.feed.failures < FEED_FAILURES_MAX;
}

/** Ours: a receiver that does not answer so often in a row is gone. */
const FEED_FAILURES_MAX = 5;
