/** Runs a load from its first submission until nothing more is to be seen of it. */

import { watchLists } from "./followed/job-list.ts";
import { offerLoad, watchHost, watchSoak } from "./offered/submitter.ts";
import type { Soak } from "./soak.ts";
import { readFeed } from "./webhooks/feed.ts";

/**
 * Offers the load, lets `windDown` see to the jobs that are left, and ends all that watched.
 * `windDown` is told whether the load was whole: false where the budget ended it.
 */
export async function runLoad(
  soak: Soak,
  windDown: (isWhole: boolean) => Promise<void>,
): Promise<void> {
  const { receiver } = soak.plan;
  const feed = receiver === null ? null : readFeed(soak, receiver);
  void watchSoak(soak);
  if (receiver !== null) void watchHost(soak, receiver);
  void watchLists(soak);
  const isWhole = await offerLoad(soak);
  soak.phase = "draining";
  await windDown(isWhole);
  soak.phase = "over";
  soak.follower.stop();
  await feed;
}
