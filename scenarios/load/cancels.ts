/** The cancel requests of a load: of queued jobs, and of some that run or have ended. Spec §4.6. */

import { jobIn } from "../../contract/decode/job.ts";
import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import { isTerminal } from "../../contract/states.ts";
import { cancelCall } from "../client/cancel-request.ts";
import type { Entry } from "./followed/ledger.ts";
import { sendCounted } from "./offered/requests.ts";
import type { Soak } from "./soak.ts";

/** Ours: an identifier may be known everywhere only some time after it was issued. */
const UNKNOWN_WAITS_MS = [300, 900] as const;
/** Ours: beyond the time by which views may lag, a job that still waits is one that waits. */
const POLL_AFTER_MS = VIEW_LAG_MS + 300;

/** Cancels the job as soon as it was accepted; it is polled where no end is told soon. */
export async function cancelAccepted(soak: Soak, entry: Entry): Promise<void> {
  const { world } = soak.context;
  for (const waitMs of [...UNKNOWN_WAITS_MS, null]) {
    const status = await sendCancel(soak, entry);
    if (status !== 404 || waitMs === null || soak.phase !== "offering") break;
    await world.delay(waitMs);
  }
  if (entry.end === null) soak.follower.schedule(entry, world.now() + POLL_AFTER_MS);
}

/**
 * Whether one of that kind is to be tried on the job: the first of its key in each third of the
 * load, which shows what is one key's alone, and what begins late.
 */
function takeTurn({ bystander, mix, manners }: Soak, kind: string, { key, third }: Entry): boolean {
  const turn = `${kind} ${third} ${key.name}`;
  if (mix.cancel === null || !manners.verifies || bystander.cancels.has(turn)) return false;
  bystander.cancels.add(turn);
  return true;
}

/** Ours: share of a run limit after which a job is expected to run. */
const RUNNING_SHARE = 0.25;

/** Cancels a job that is to run into its limit while it runs, which must not stop it. Spec §3.2. */
export function cancelRunningLater(soak: Soak, entry: Entry, limitMs: number): void {
  if (entry.third === 0 || !takeTurn(soak, "running", entry)) return;
  const { follower, context } = soak;
  follower.remind(context.world.now() + RUNNING_SHARE * limitMs, () => {
    void cancelIfRunning(soak, entry);
  });
}

async function cancelIfRunning(soak: Soak, entry: Entry): Promise<void> {
  if (entry.isClosed || soak.phase === "over") return;
  await entry.key.pacer.turn();
  await soak.follower.askNow(entry);
  const job = jobIn(entry.lastSeen);
  if (job?.state !== "running" || entry.isClosed) return;
  await sendCancel(soak, entry);
  soak.follower.schedule(entry, soak.context.world.now() + POLL_AFTER_MS);
}

/** Cancels a job that has ended, and is polled once more later. */
export async function cancelEnded(soak: Soak, entry: Entry): Promise<void> {
  const state = entry.polls.at(-1)?.job?.state;
  const kind = state === "cancelled" ? "cancelled" : "ended";
  if (!isTerminal(state) || !takeTurn(soak, kind, entry)) return;
  await entry.key.pacer.turn();
  await sendCancel(soak, entry);
}

type Seen = Pick<Soak, "bystander">;

/** Ours: a group has fewer, and the last few groups are all that a job waits behind. */
const UNCANCELLED_MAX = 200;

/** Remembers a job that is to be cancelled until it is. */
export function expectCancel({ bystander: { uncancelled } }: Seen, entry: Entry): void {
  if (entry.mixPart.part !== "cancel") return;
  uncancelled.push(entry);
  if (uncancelled.length > UNCANCELLED_MAX) uncancelled.shift();
}

export function takeCancelled({ bystander }: Seen, entry: Entry): void {
  bystander.uncancelled = bystander.uncancelled.filter((each) => each !== entry);
}

/**
 * Whether the load's own arrangement made a job wait: jobs to be cancelled come in groups, which
 * leave their worker again when they are cancelled. One whose submission or cancel came to nothing
 * holds a place that others wait for.
 */
export function waitedBehindGroup(
  { bystander }: Seen,
  { mixPart, sentAtMs }: Entry,
  waitedMs: number,
): boolean {
  if (mixPart.part === "cancel") return true;
  return bystander.uncancelled.some((ahead) => {
    // Closed without an end it was refused or lost.
    const unseenMs = ahead.isClosed ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const isThere =
      ahead.sentAtMs < sentAtMs + waitedMs && sentAtMs < (ahead.endSeenAtMs ?? unseenMs);
    return ahead.mixPart.worker.id === mixPart.worker.id && isThere;
  });
}

/** The status of the answer. */
async function sendCancel(
  soak: Soak,
  { id, key, cancelRequests }: Pick<Entry, "id" | "key" | "cancelRequests">,
): Promise<number | null> {
  if (id === null || soak.mix.cancel === null) return null;
  const exchange = await sendCounted(soak, key, cancelCall(soak.mix.cancel, id, key.name));
  cancelRequests.push(exchange);
  return exchange.status;
}
