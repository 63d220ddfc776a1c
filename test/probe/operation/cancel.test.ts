/** What a canary says of its cancel request by the answer to it. */

import { expect, it } from "vitest";
import { cancelTrialOf, outcomeOfUncancelled } from "../../../probe/operation/runs/cancel.ts";
import type { Run } from "../../../probe/operation/runs/run.ts";
import { exchange } from "../../contract/judges/job/fixtures.ts";

const HTML = { "content-type": "text/html" };

function runOf(headers: Record<string, string>, body: string, state: string): Run {
  const submission = exchange({ status: 202, sentAtMs: 0, receivedAtMs: 10 });
  const cancel = exchange({ status: 200, headers, body, sentAtMs: 20, receivedAtMs: 30 });
  const shown = JSON.stringify({ job_uuid: "job_1", status: state });
  const poll = exchange({ status: 200, body: shown, sentAtMs: 40, receivedAtMs: 50 });
  return { jobId: "job_1", submission, cancel, polls: [poll] } as unknown as Run;
}

it.each(["queued", "running"])("a web page in its place is no word of the service: %s", (state) => {
  const run = runOf(HTML, "<html>", state);
  expect(cancelTrialOf(run)).toBeNull();
  const { outcome, why } = outcomeOfUncancelled(run);
  expect(outcome).toBe("http_error");
  expect(why).toContain("something in front of the service");
});

it("an answer without a body is the service's, whatever type it has", () => {
  const run = runOf(HTML, "", "queued");
  expect(cancelTrialOf(run)?.after).toHaveLength(1);
  expect(outcomeOfUncancelled(run).outcome).toBe("wrong_state");
});
