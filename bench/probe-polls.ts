/**
 * What a poll of the probe costs, beside undici alone on the same URL with the body read: polls for
 * each millisecond of processor time.
 *
 * npm run bench -- --only probe-polls
 */

import { bareRequestUs, followedJobs, withLightService } from "./in-flight.ts";
import { measure } from "./row.ts";

const JOBS = 1_000;
const SECONDS = 6;

await withLightService(async (port) => {
  await measure({
    figures: [
      { name: "probe-polls", what: "polls a ms of processor time", goal: { atLeast: 0.75 } },
    ],
    subject: `the probe, ${JOBS} jobs in flight`,
    peer: "bare `undici.request`",
    measureSubject: async () => {
      const [window] = followedJobs(port, JOBS, SECONDS, 1);
      return [1_000 / (window?.cpuMicrosecondsPerPoll ?? Number.NaN)];
    },
    measurePeer: async () => [1_000 / bareRequestUs(port, JOBS, SECONDS)],
    warmsUp: false,
  });
});
