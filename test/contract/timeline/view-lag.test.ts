/** How long after its webhook a job is still shown as not ended, by the service's own dates too. */

import { expect, it } from "vitest";
import type { Observation, Poll } from "../../../contract/timeline/observation.ts";
import { NO_STAMPS } from "../../../contract/timeline/observation.ts";
import type { Track } from "../../../contract/timeline/track.ts";
import { NEW_TRACK, observe } from "../../../contract/timeline/track.ts";
import { leastLagMs, openAfterWebhookMs } from "../../../contract/timeline/view-lag.ts";

const OFFSET = { lowMs: 0, highMs: 0, atMs: 100_000 };

/** It is seen running until 20 s; its end is dated `finishedMs`. */
function trackOf(arrivedAtMs: number, finishedMs: number | null): Track {
  const finished = finishedMs === null ? null : { lowMs: finishedMs, highMs: finishedMs };
  const poll = (atMs: number, state: Poll["state"]): Poll => {
    const stamps = state === "running" ? NO_STAMPS : { ...NO_STAMPS, finished };
    return { kind: "poll", state, sentAtMs: atMs, receivedAtMs: atMs + 10, stamps };
  };
  const seen: readonly Observation[] = [
    poll(1_000, "running"),
    { kind: "delivery", state: "completed", arrivedAtMs, fired: null, stamps: NO_STAMPS },
    poll(20_000, "running"),
    poll(20_200, "completed"),
  ];
  return seen.reduce(observe, NEW_TRACK);
}

it.each([
  ["a webhook 18 s before the end, by the service's date", 2_000, 20_100, OFFSET, 0, 0],
  ["the same where nothing places that date", 2_000, 20_100, null, 18_000, 18_000],
  ["the same where nothing dates the end", 2_000, null, OFFSET, 18_000, 18_000],
  ["a view 18 s old", 2_000, 1_900, OFFSET, 18_000, 18_100],
  ["a view as old, of a machine whose clock is 1 s ahead", 2_000, 3_000, OFFSET, 17_000, 17_000],
  ["the same, whose clock is a minute ahead", 2_000, 62_000, OFFSET, 18_000, 18_000],
] as const)("%s", (_, arrivedAtMs, finishedMs, offset, staleMs, lagMs) => {
  const track = trackOf(arrivedAtMs, finishedMs);
  expect(Math.round(openAfterWebhookMs(track, offset) / 100) * 100).toBe(staleMs);
  expect(Math.round((leastLagMs(track, offset) ?? 0) / 100) * 100).toBe(lagMs);
});
