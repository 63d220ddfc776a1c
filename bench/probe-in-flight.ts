/**
 * What the probe takes with ten thousand jobs in flight, each polled once a second: five windows of
 * one process, as it takes a minute until all jobs are there.
 *
 * npm run bench -- --only probe-in-flight
 */

import { followedJobs, withLightService } from "./in-flight.ts";
import { measure, REPEATS } from "./row.ts";

const JOBS = 10_000;
const SECONDS = 6;

await withLightService(async (port) => {
  const windows = [...followedJobs(port, JOBS, SECONDS, REPEATS)];
  await measure({
    figures: [
      { name: "in-flight-cpu", what: "% of a core", goal: { atMost: 55 } },
      { name: "in-flight-rss", what: "resident, MB", goal: { atMost: 330 } },
      { name: "in-flight-start", what: "polls late by, p99 ms", goal: { atMost: 20 } },
      { name: "in-flight-render", what: "`/metrics` rendered in, ms", goal: { atMost: 25 } },
      { name: "in-flight-loop", what: "event loop late by, p99 ms", goal: { atMost: 30 } },
    ],
    subject: "the probe, 10,000 jobs in flight",
    peer: null,
    warmsUp: false,
    measureSubject: async () => {
      const window = windows.shift();
      if (window === undefined) throw new Error("the probe told of too few windows");
      const { cpuPercent, rssMaxMb, startErrorMs, renderMs, loopDelayP99Ms } = window;
      return [cpuPercent, rssMaxMb, startErrorMs.p99, renderMs, loopDelayP99Ms];
    },
  });
});
