/** Submissions are said to await the run only where both take as long, three times in a row. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { AwaitedRuns } from "../../../probe/operation/awaited-runs.ts";
import { acceptedBody, exchange, jobBody, T0 } from "../../contract/judges/job/fixtures.ts";

/** Of the job's fixture. */
const RAN_MS = 5_000;
const AT_ONCE = { answeredMs: 20 };
const AWAITED = { answeredMs: 5_100 };

interface Given {
  answeredMs: number;
  /** From the submission to the poll that shows the end. */
  spanMs?: number;
  worker?: string;
  ranMs?: number;
}

/** What is told of each run, in order. */
function told(runs: readonly Given[]): readonly (string | null)[] {
  const watch = new AwaitedRuns();
  return runs.map(({ answeredMs, spanMs = 5_300, worker = "sleep", ranMs = RAN_MS }, at) => {
    const id = `job-${at}`;
    const submission: Exchange = exchange({
      method: "POST",
      route: "submit",
      path: `/v1/workers/${worker}/jobs`,
      status: 202,
      body: JSON.stringify(acceptedBody("A", id)),
      receivedAtMs: T0 + answeredMs,
    });
    watch.submitted(submission, answeredMs >= 2_000);
    const body = JSON.stringify({ ...jobBody("A", "completed", id), duration_ms: ranMs });
    return watch.polled(exchange({ status: 200, body, receivedAtMs: T0 + spanMs }));
  });
}

const SAID = "POST /v1/workers/sleep/jobs was answered after 5.1 s; its job ran 5 s";

describe("submissions that are answered when the job has run", () => {
  it("are told from the third in a row on", () => {
    expect(told([AWAITED, AWAITED, AWAITED, AWAITED])).toEqual([null, null, SAID, SAID]);
  });

  it.each<[string, Given]>([
    ["one was answered at once", AT_ONCE],
    ["one was answered long before its job ended", { ...AWAITED, spanMs: 7_000 }],
    ["one was as slow for a job that is short", { ...AWAITED, ranMs: 200 }],
    ["one was as slow for another worker's short job", { ...AWAITED, worker: "echo", ranMs: 200 }],
  ])("are not where %s", (_, other) => {
    expect(told([AWAITED, AWAITED, other, AWAITED])).toEqual([null, null, null, null]);
  });

  it("are told beside another worker's, whose answers come at once", () => {
    const echo = { ...AT_ONCE, worker: "echo", ranMs: 20 };
    expect(told([AWAITED, echo, AWAITED, echo, AWAITED]).at(-1)).toBe(SAID);
  });
});
