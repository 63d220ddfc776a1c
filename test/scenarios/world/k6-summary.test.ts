/** What k6's summary shows of the requests, of figures as k6 keeps them. */

import { expect, it } from "vitest";
import { requestLines, requestThresholds } from "../../../scenarios/world/k6-summary.ts";

const SUBMISSIONS = "name:POST /v1/workers/{worker_id}/jobs";
const STATE = { testRunDurationMs: 1_000 };

it("asks k6 for the figures of each kind of request, by thresholds that any run meets", () => {
  const thresholds = requestThresholds();
  expect(Object.keys(thresholds)).toHaveLength(26);
  expect(thresholds[`http_reqs{${SUBMISSIONS}}`]).toEqual(["count>=0"]);
  expect(thresholds["http_req_duration{name:GET /v1/me}"]).toEqual(["max>=0"]);
});

it("shows what was sent, and nothing of what was not", () => {
  const duration = { values: { med: 1.04, "p(95)": 7.4, max: 12.44 } };
  const metrics = {
    http_reqs: { values: { count: 50 } },
    http_req_duration: { values: { med: 1, "p(95)": 8, max: 16 } },
    [`http_reqs{${SUBMISSIONS}}`]: { values: { count: 48 } },
    [`http_req_duration{${SUBMISSIONS}}`]: duration,
    "http_reqs{name:GET /v1/me}": { values: { count: 2 } },
    "http_reqs{name:GET /v1/jobs}": { values: { count: 0 } },
  };
  const rows = requestLines({ state: STATE, metrics }).map((line) => line.trim().split(/ {2,}/));
  expect(rows).toEqual([
    ["sent", "p50", "p95", "max"],
    ["GET /v1/me", "2", "-", "-", "-"],
    ["POST /v1/workers/{worker_id}/jobs", "48", "1.0 ms", "7.4 ms", "12.4 ms"],
    ["all requests", "50", "1.0 ms", "8.0 ms", "16.0 ms"],
  ]);
  expect(requestLines({ state: STATE, metrics: {} })).toEqual([]);
});
