/** What leaves of a load that is over: plain data, without what was needed on the way. */

import { issuedIn } from "../../contract/jobs/issued-ids.ts";
import type { LoadSeen } from "../../contract/judges/load/tally.ts";
import { stepsOf } from "./series.ts";
import type { Soak } from "./soak.ts";
import { hasFeed } from "./soak.ts";

type Seen =
  | "startMs"
  | "offerUntilMs"
  | "jobsPerSecond"
  | "isWhole"
  | "whyEnded"
  | "feed"
  | "details"
  | "plan"
  | "tally";

export function loadSeen(soak: Pick<Soak, Seen>): LoadSeen {
  const { startMs, offerUntilMs, jobsPerSecond, isWhole, whyEnded, feed } = soak;
  const {
    series,
    waiting: _1,
    starts: _2,
    startStamp: _3,
    shownEarlyMs: _7,
    timeoutRunsMs: _10,
    ...rest
  } = soak.tally;
  const { missed: _4, taken: _5, quotable: _6, newsLag: _8, serving: _9, ids, ...tally } = rest;
  return {
    startMs,
    offerUntilMs,
    jobsPerSecond,
    isWhole,
    ...(whyEnded === null ? {} : { whyEnded }),
    hasFeed: hasFeed(soak),
    evicted: feed.evicted,
    tally: { ...tally, issued: issuedIn(ids) },
    series: stepsOf(series),
  };
}
