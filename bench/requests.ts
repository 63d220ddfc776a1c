/**
 * How many requests a completed job of a load takes, on virtual time: counts, which no machine
 * changes.
 *
 * npm run bench -- --only requests
 */

import { REQUESTS_A_JOB_MAX, requestsPerJob } from "../test/simulation/requests-per-job.ts";
import { measure } from "./row.ts";

for (const [name, subject, hasWebhooks, atMost] of [
  ["requests-webhooks", "a load with webhooks", true, REQUESTS_A_JOB_MAX.withWebhooks],
  ["requests-polls", "a load without", false, REQUESTS_A_JOB_MAX.without],
] as const) {
  let seed = 0;
  await measure({
    figures: [{ name, what: "requests a completed job", goal: { atMost } }],
    subject,
    peer: null,
    warmsUp: false,
    measureSubject: async () => {
      seed += 1;
      return [await requestsPerJob(seed, hasWebhooks)];
    },
  });
}
