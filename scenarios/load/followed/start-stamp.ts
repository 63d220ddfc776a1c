/**
 * Learns from a few jobs what the stated runs of all hold: a soak asks for most at their end only,
 * and which state begins at `started_at` is open, as is whether starting up counts. Spec §2.5.
 */

import type { Job } from "../../../contract/decode/job-types.ts";
import { readHistories } from "../../../contract/judges/job/reading.ts";
import { stampOfStarts } from "../../../contract/judges/timeout/start-up.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { stateRank } from "../../../contract/states.ts";
import { ownMs } from "../../../contract/time/promised-times.ts";
import { pollUntil } from "../../world/poll-until.ts";
import { takePoll } from "../in-passing.ts";
import { askFor } from "../offered/requests.ts";
import type { Soak } from "../soak.ts";
import type { Entry } from "./ledger.ts";
import { historyOf } from "./ledger.ts";

/** Ours: some of them are met between the queue and their run. */
const WATCHED_JOBS = 5;
/** Ours: stated time between two polls, and how long a start is worth watching. */
const POLL_MS = 100;
const START_MS = 5_000;

/** Watches the start of one of the first jobs that are to run into their limit. Spec §2.3. */
export async function watchStart(soak: Soak, entry: Entry, submission: Exchange): Promise<void> {
  const { world } = soak.context;
  const { starts } = soak.tally;
  if (entry.mixPart.part !== "timeout" || starts.length >= WATCHED_JOBS) return;
  const polls: Exchange[] = [];
  let job: Job | null = null;
  starts.push(historyOf(entry, submission, polls));
  const { times } = soak.plan;
  await pollUntil(world, {
    async ask() {
      await entry.key.pacer.turn();
      const exchange = await askFor(soak, entry);
      polls.push(exchange);
      job = takePoll(entry, exchange);
      return exchange;
    },
    isEnough: () => entry.isClosed || hasStarted(job),
    untilMs: world.now() + ownMs(times, START_MS),
    waitMs: () => ownMs(times, POLL_MS),
  });
  soak.tally.startStamp = stampOfStarts(readHistories(starts));
}

function hasStarted(job: Job | null): boolean {
  const state = job?.state;
  return state != null && stateRank(state) >= stateRank("running");
}
