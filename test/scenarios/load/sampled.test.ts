/** How many ended jobs of a load are polled again. */

import { expect, it } from "vitest";
import { newBystander } from "../../../scenarios/load/bystander.ts";
import { drawSampled } from "../../../scenarios/load/in-passing.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";

it.each([
  ["two of each 20 of a short one", { seconds: 15, shards: 1, sampled: 15, after: 30 }],
  ["so many on all shards", { seconds: 15, shards: 4, sampled: 15, after: 15 }],
  ["one of each 20 of a longer one", { seconds: 120, shards: 1, sampled: 120, after: 120 }],
])("%s", (_, { seconds, shards, sampled, after }) => {
  const soak = {
    bystander: newBystander(),
    jobsPerSecond: 20,
    load: { durationMs: 1_000 * seconds },
    context: { random: seededRandom(1), world: { shard: { index: 0, count: shards } } },
  };
  const entries = Array.from({ length: 20 * seconds }, () => {
    const entry = { isSampled: false, isPolledAfter: false };
    drawSampled(soak, entry);
    return entry;
  });
  expect(entries.filter(({ isSampled }) => isSampled)).toHaveLength(sampled);
  expect(entries.filter(({ isPolledAfter }) => isPolledAfter)).toHaveLength(after);
});
