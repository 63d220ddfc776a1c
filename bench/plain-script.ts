/**
 * What a k6 script by hand costs: submits at an arrival rate, waits, asks once and checks the end.
 * Paths, rate and key come from the environment; soak.ts runs it beside the soak.
 */

import { check, sleep } from "k6";
import http from "k6/http";

const base = __ENV.BASE_URL ?? "";
const headers = { "x-api-key": __ENV.SOAK_KEY ?? "", "content-type": "application/json" };
/** Ours: longer than the job takes, with its queue, on the bench's clock. */
const WAIT_SECONDS = 1;

export const options = {
  scenarios: {
    main: {
      executor: "constant-arrival-rate",
      rate: Number(__ENV.JOBS_PER_SECOND),
      timeUnit: "1s",
      duration: `${__ENV.SECONDS}s`,
      preAllocatedVUs: Number(__ENV.JOBS_PER_SECOND) * 2,
    },
  },
};

/** Tells that all virtual users are there. */
export function setup(): void {
  console.log("begins");
}

export default function one(): void {
  const body = JSON.stringify({ text: "hello" });
  const accepted = http.post(`${base}/v1/workers/echo/jobs`, body, { headers });
  sleep(WAIT_SECONDS);
  const id = accepted.json("job_uuid");
  const job = http.get(`${base}/v1/jobs/${id}`, { headers, tags: { name: "job" } });
  check(job, { completed: (answer) => answer.json("status") === "SUCCEEDED" });
}
